/** The control characters of Unicode (category Cc), which no name, key or identifier has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/

/** Characters that take no space: soft hyphen, zero-width spaces and joiners, byte order mark. */
export const INVISIBLE = /[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]/
