/** NIST SP 800-63B section 5.1.1: at least eight characters, nothing said about which, long ones welcome. */
export const PASSWORD_CHARS_MIN = 8
export const PASSWORD_CHARS_MAX = 1_024

/** A fault of a password to be set, in words that follow the field's name; undefined for one that will do. */
export function passwordFault(password: string): string | undefined {
  if (password.length >= PASSWORD_CHARS_MIN && password.length <= PASSWORD_CHARS_MAX) return undefined
  return `must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`
}
