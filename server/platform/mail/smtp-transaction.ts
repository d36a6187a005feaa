import { isAscii } from 'node:buffer'
import { crashPoint } from '../crash-point.ts'
import { MINUTE_MS } from '../durations.ts'
import type { SmtpReply } from './classify-reply.ts'
import { dotStuff } from './dot-stuff.ts'
import type { WireReply } from './read-replies.ts'
import type { SmtpWire, WireBreak } from './smtp-wire.ts'

/** A message and whom it goes to; the first of `to` is who it is for. */
export type WireMessage = {
  envelope: { from: string; to: readonly string[] }
  /** CRLF lines, not dot-stuffed. */
  bytes: Buffer
  /** Awaited after the server has asked for the content (354); on false nothing of it is written. */
  beforeContent(): Promise<boolean>
  /** Called when the message is accepted and nobody reads its bytes any more; not at all if that is not certain. */
  onSpent?(): void
}

/** How a transaction ended. */
export type WireEnding =
  | { outcome: 'accepted'; reply: WireReply; refusedOthers: readonly WireReply[] }
  | { outcome: 'refused'; reply: SmtpReply }
  | { outcome: 'withdrawn' }
  /** Broken before the end of the content was written. `silent`: the server answered not one command. */
  | { outcome: 'unsent'; cause: WireBreak; silent: boolean }
  /** Broken after it. */
  | { outcome: 'unanswered'; cause: WireBreak }

/** RFC 5321 section 4.5.3.2. The last one is long on purpose: who gives up sooner sends twice. */
export const TIMEOUTS_MS = {
  mail: 5 * MINUTE_MS,
  rcpt: 5 * MINUTE_MS,
  data: 2 * MINUTE_MS,
  block: 3 * MINUTE_MS,
  end: 10 * MINUTE_MS,
  reset: 30_000,
}
/** How much is written under one `block`. */
const BLOCK_BYTES = 64 * 1_024

type Command = { phase: 'mail' | 'rcpt' | 'data'; line: string }

/**
 * Hands one message over: MAIL, RCPT, DATA in one write where the server takes that (RFC 2920), then the content. When
 * the first recipient is refused the message is; others that are refused are told of. Leaves the wire ready for the next
 * message, or broken. Rejects only with what `beforeContent` rejects with.
 */
export async function transact(wire: SmtpWire, message: WireMessage, timeouts = TIMEOUTS_MS): Promise<WireEnding> {
  const refused = refusedHere(wire, message)
  if (refused !== null) return { outcome: 'refused', reply: refused }
  const announced = await announce(wire, commandsOf(wire, message), timeouts)
  if ('outcome' in announced) return announced
  const ready = await message.beforeContent().catch((error: unknown) => {
    wire.destroy()
    throw error
  })
  if (!ready) {
    // Only a broken connection takes DATA back.
    wire.destroy()
    return { outcome: 'withdrawn' }
  }
  return writeContent(wire, { message, refusedOthers: announced.refusedOthers }, timeouts)
}

/** The refusal of what the server would refuse or not understand, in its words and before it is asked. */
function refusedHere({ extensions, sizeMax }: SmtpWire, { envelope, bytes }: WireMessage): SmtpReply | null {
  if (!isAddress(envelope.from) && envelope.from !== '') {
    return { code: 553, enhanced: '5.1.7', text: 'Not an address to send from.', phase: 'mail' }
  }
  if (!envelope.to.every(isAddress)) return { code: 553, enhanced: '5.1.3', text: 'Not an address.', phase: 'rcpt' }
  if (!isAsciiEnvelope(envelope) && !extensions.has('SMTPUTF8')) {
    return { code: 553, enhanced: '5.6.7', text: 'The server takes no addresses beyond ASCII.', phase: 'rcpt' }
  }
  if (sizeMax !== null && bytes.length > sizeMax) {
    return { code: 552, enhanced: '5.3.4', text: `The server takes at most ${sizeMax} bytes.`, phase: 'mail' }
  }
  if (!extensions.has('8BITMIME') && !isAscii(bytes)) {
    return { code: 554, enhanced: '5.6.3', text: 'The server takes no content beyond ASCII.', phase: 'content' }
  }
  return null
}

/** Whether a text can stand between `<` and `>` of a command and ends nothing there. */
function isAddress(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the command.
  return /^(?:[^\s<>"\u0000-\u001f\u007f]+|"[^\u0000-\u001f\u007f]+")@[^\s<>"@\u0000-\u001f\u007f]+$/.test(text)
}

function isAsciiEnvelope({ from, to }: WireMessage['envelope']): boolean {
  return isAscii(Buffer.from([from, ...to].join('\n')))
}

function commandsOf({ extensions }: SmtpWire, { envelope, bytes }: WireMessage): Command[] {
  const parameters = [
    extensions.has('SIZE') ? ` SIZE=${bytes.length}` : '',
    isAscii(bytes) ? '' : ' BODY=8BITMIME',
    isAsciiEnvelope(envelope) ? '' : ' SMTPUTF8',
  ].join('')
  return [
    { phase: 'mail', line: `MAIL FROM:<${envelope.from}>${parameters}\r\n` },
    ...envelope.to.map((to) => ({ phase: 'rcpt' as const, line: `RCPT TO:<${to}>\r\n` })),
    { phase: 'data', line: 'DATA\r\n' },
  ]
}

type Answer = { phase: Command['phase']; reply: WireReply }

/** Sender and recipients, up to the server's word that it takes the content. */
async function announce(
  wire: SmtpWire,
  commands: readonly Command[],
  timeouts: typeof TIMEOUTS_MS,
): Promise<{ refusedOthers: WireReply[] } | WireEnding> {
  const pipelined = wire.extensions.has('PIPELINING')
  if (pipelined) void wire.write([commands.map(({ line }) => line).join('')], timeouts.mail)
  const answers: Answer[] = []
  for (const { phase, line } of commands) {
    // One at a time, a refusal of sender or first recipient is the last word; pipelined, every reply has to be read.
    if (!pipelined && refusalOf(answers) !== undefined) break
    if (!pipelined) void wire.write([line], timeouts[phase])
    const reply = await wire.reply(timeouts[phase])
    if (typeof reply === 'string') return { outcome: 'unsent', cause: reply, silent: answers.length === 0 }
    answers.push({ phase, reply })
    if (reply.code === 421) break
  }
  const refusal = refusalOf(answers)
  if (refusal !== undefined) {
    await settle(wire, answers, timeouts.reset)
    return { outcome: 'refused', reply: { ...refusal.reply, phase: refusal.phase } }
  }
  return { refusedOthers: answers.filter(isRefused).map(({ reply }) => reply) }
}

function isRefused({ phase, reply }: Answer): boolean {
  return phase === 'data' ? reply.code !== 354 : Math.floor(reply.code / 100) !== 2
}

/** The refusal that ends the transaction: of the sender, of the first recipient, of the content; 421 ends everything. */
function refusalOf(answers: readonly Answer[]): Answer | undefined {
  const firstRecipient = answers.findIndex(({ phase }) => phase === 'rcpt')
  return answers.find(
    (answer, index) =>
      isRefused(answer) && (answer.phase !== 'rcpt' || index === firstRecipient || answer.reply.code === 421),
  )
}

/** After a refusal: ends the transaction, so that the next one can begin. */
async function settle(wire: SmtpWire, answers: readonly Answer[], timeoutMs: number): Promise<void> {
  const closing = answers.some(({ reply }) => reply.code === 421)
  // It has asked for content that it shall not have.
  const asked = answers.some(({ phase, reply }) => phase === 'data' && reply.code === 354)
  if (closing || asked) return wire.destroy()
  void wire.write(['RSET\r\n'], timeoutMs)
  const reply = await wire.reply(timeoutMs)
  if (typeof reply === 'string' || reply.code !== 250) wire.destroy()
}

type Content = { message: WireMessage; refusedOthers: readonly WireReply[] }

async function writeContent(
  wire: SmtpWire,
  { message, refusedOthers }: Content,
  timeouts: typeof TIMEOUTS_MS,
): Promise<WireEnding> {
  const { content, end } = dotStuff(message.bytes)
  let from = 0
  for (; content.length - from > BLOCK_BYTES; from += BLOCK_BYTES) {
    if (wire.unread > 0 || !(await wire.write([content.subarray(from, from + BLOCK_BYTES)], timeouts.block))) break
  }
  if (wire.unread > 0 || wire.broken !== null) return interrupted(wire)
  crashPoint('content_before_end')
  let isWritten = false
  void wire.write([content.subarray(from), end], timeouts.end).then((written) => {
    isWritten = written
    crashPoint('content_sent')
  })
  const reply = await wire.reply(timeouts.end)
  crashPoint('content_answered')
  if (typeof reply === 'string') return { outcome: 'unanswered', cause: reply }
  if (reply.code === 421) wire.destroy()
  if (Math.floor(reply.code / 100) !== 2) return { outcome: 'refused', reply: { ...reply, phase: 'content' } }
  // A server may accept what it has not read: what waits to be written must not turn into somebody else's mail.
  if (isWritten) message.onSpent?.()
  return { outcome: 'accepted', reply, refusedOthers }
}

/** The server said no, or went, in the middle: it has not seen the end, so it has no message. */
async function interrupted(wire: SmtpWire): Promise<WireEnding> {
  const reply = await wire.reply(0)
  wire.destroy()
  if (typeof reply === 'string') return { outcome: 'unsent', cause: reply, silent: false }
  return { outcome: 'refused', reply: { ...reply, phase: 'content' } }
}
