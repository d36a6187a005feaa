const SIX_DIGITS = /^\d{6}$/

/** Fields of a body for what somebody has typed: a code of their app, or a recovery code. */
export function shownCode(typed: string): { code: string } | { recoveryCode: string } {
  const text = typed.trim()
  return SIX_DIGITS.test(text) ? { code: text } : { recoveryCode: text }
}
