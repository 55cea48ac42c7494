/** A file cannot be imported at all. The message is a sentence that names the file. */
export class ImportFailure extends Error {}

/** A value of a key cannot be used; the message is the end of a sentence that begins with the key. */
export class UnfitValue extends Error {}
