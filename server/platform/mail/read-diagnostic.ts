import type { SmtpReply } from './classify-reply.ts'

const ENHANCED = /\b([245]\.\d{1,3}\.\d{1,3})\b/
const TEXT_CHARS_MAX = 500

/** The enhanced status code in a `Status` field, which may have a comment behind it (RFC 3464 section 2.3.4). */
export function readStatus(value: string | null): string | null {
  return ENHANCED.exec(value ?? '')?.[1] ?? null
}

/**
 * The refusal in a `Diagnostic-Code` field (RFC 3464 section 2.3.6): `smtp; 550 5.1.1 no such user`, also of several
 * lines, with codes in another order, or of a system that is no SMTP server. Its word on the cause counts more than the
 * `Status` field, which many systems fill with 5.0.0. Null when neither says anything.
 */
export function readDiagnostic(value: string | null, status: string | null): SmtpReply | null {
  const said = (value ?? '')
    .replace(/^\s*[a-z0-9-]{1,40}\s*;/i, '')
    .replace(/\s+/g, ' ')
    .trim()
  const code = /^(?:#?[245]\.\d{1,3}\.\d{1,3} )?#?([245]\d\d)\b(?!\.)/.exec(said)?.[1]
  const own = ENHANCED.exec(said.slice(0, 40))?.[1]
  if (said === '' && status === null) return null
  const enhanced = own !== undefined && !isOpen(own) ? own : (status ?? own ?? null)
  if (code === undefined && enhanced === null && status === null) {
    return { code: 550, enhanced: null, text: textOf(said, undefined, undefined), phase: 'content' }
  }
  const digit = code?.[0] ?? enhanced?.[0] ?? '5'
  return {
    code: code === undefined ? (digit === '4' ? 450 : digit === '2' ? 250 : 550) : Number(code),
    enhanced,
    text: textOf(said, code, own),
    phase: 'content',
  }
}

/** `5.0.0`: "other, undefined". */
function isOpen(enhanced: string): boolean {
  return /\.0\.0$/.test(enhanced)
}

/** Without the codes that each line of the reply began with. */
function textOf(said: string, code: string | undefined, enhanced: string | undefined): string {
  const codes = [code, enhanced].filter((one) => one !== undefined).map((one) => one.replaceAll('.', '\\.'))
  if (codes.length === 0) return said.slice(0, TEXT_CHARS_MAX)
  const marks = new RegExp(`(^|\\s)#?(?:${codes.join('|')})(?:[ -]#?(?:${codes.join('|')}))*(?=[ -]|$)[ -]?`, 'g')
  return said.replace(marks, '$1').replace(/\s+/g, ' ').trim().slice(0, TEXT_CHARS_MAX)
}
