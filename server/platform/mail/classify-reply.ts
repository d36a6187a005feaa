/** A reply of a mail server (RFC 5321 section 4.2), or of an API in the same terms. */
export type SmtpReply = {
  /** 421, 550 … */
  code: number
  /** RFC 3463: `5.1.1`; null where the server gave none. */
  enhanced: string | null
  /** The text of all lines, without the codes; at most 500 characters. */
  text: string
  phase: 'greeting' | 'ehlo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'content'
}
