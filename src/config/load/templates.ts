/**
 * Names of the templates that `section` starts from, the weakest first, each once: those that a template itself extends
 * come before it. It also ends if templates extend each other in a circle (which references.ts refuses).
 */
export function lineage<Section extends Extending>(section: Section, template: (name: string) => Section | undefined): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (names: readonly string[]) => {
    for (const name of names) {
      if (seen.has(name)) continue;
      seen.add(name);
      visit([template(name)?.extends ?? []].flat());
      order.push(name);
    }
  };
  visit([section.extends ?? []].flat());
  return order;
}

interface Extending {
  readonly extends?: string | readonly string[];
}
