/** The control characters of Unicode (category Cc), which no name, key or identifier has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/
