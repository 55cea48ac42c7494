/** What a browser does at a login: follows redirects, and keeps cookies for each origin. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** The page at the end of the redirects, and the addresses on the way. `until` stops at the first address for which it is true. */
  async follow(start: string, until: (url: URL) => boolean = () => false): Promise<{ response: Response; hops: URL[] }> {
    const hops: URL[] = [];
    for (let url = new URL(start); ; ) {
      hops.push(url);
      const response = await this.get(url);
      const location = response.headers.get("location");
      if (location === null || response.status < 300 || response.status > 399) return { response, hops };
      await response.body?.cancel();
      url = new URL(location, url);
      if (until(url)) return { response, hops: [...hops, url] };
      if (hops.length > 20) throw new Error(`too many redirects: ${hops.join(" ")}`);
    }
  }

  async get(url: URL | string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#jarOf(origin);
    const cookie = this.cookieHeader(origin);
    const response = await fetch(url, { method, redirect: "manual", headers: { ...headers, ...(cookie === "" ? {} : { cookie }) } });
    for (const set of response.headers.getSetCookie()) {
      const [name = "", value = ""] = set.split(";")[0]?.split("=") ?? [];
      if (/; *(max-age=0|expires=Thu, 01 Jan 1970)/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Names of the cookies that an origin has set. */
  cookiesOf(origin: string): string[] {
    return [...this.#jarOf(origin).keys()];
  }

  cookieHeader(origin: string): string {
    return [...this.#jarOf(origin)].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #jarOf(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }
}
