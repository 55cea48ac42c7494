import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000;
const ASCII = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));

const codePoint = fc
  .nat(CODE_POINTS - SURROGATES.count - 1)
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count));
// Only from characters that are listed does fast-check compose names such as `__proto__`.
const unit = fc.oneof(fc.constantFrom(...ASCII), { weight: 3, arbitrary: codePoint });

/**
 * Text of any code points, control characters and those without a meaning too. Lengths count code points. fast-check's unit "binary" first lists
 * all that there are, which takes a second of a processor in each worker.
 */
export const anyText = (length: Pick<fc.StringSharedConstraints, "minLength" | "maxLength"> = {}) => fc.string({ ...length, unit });
