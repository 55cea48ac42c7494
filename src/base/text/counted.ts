/** `1 value`, `2 values`; with `many`, `1 process`, `2 processes`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
