import { composeMessage, type Draft, DraftError } from '../../../platform/mail/compose-message.ts'
import { signMessage } from '../../../platform/mail/dkim-sign.ts'
import { keptMail } from '../../../platform/mail/kept-mail.ts'
import { wireAddress } from '../../../platform/mail/mail-address.ts'
import type { SigningKey } from '../../sending-domains/signing-key.ts'
import type { MessageIds } from '../ledger/message-ids.ts'
import { sendingSourceOf } from '../ledger/refusal.ts'
import type { ClaimedMessage, MessageContent } from '../message-source.ts'
import type { Envelope } from '../transports/transport.ts'

export type BuildDeps = {
  key: SigningKey
  /** Fields that the provider writes anew, and the signature leaves out. */
  rewrittenFields: readonly string[]
  /** Where bounces of the message go (RFC 5321 section 4.4); null: to the from address. */
  returnPathOf(message: { workspaceId: string; messageId: string }): string | null
  /** Where programs that know no link unsubscribe by mail; null: nowhere. */
  unsubscribeAddressOf(message: { workspaceId: string; messageId: string }): string | null
  messageIdOf: MessageIds['of']
}

export type Built = { envelope: Envelope; bytes: Buffer }

/** A message lacks something that one of its kind must have: it is not sent. */
export class IncompleteMessageError extends Error {
  override readonly name = 'IncompleteMessageError'
}

/**
 * A message as it goes over the wire, signed. Throws `IncompleteMessageError` for marketing mail without a way out of it
 * (RFC 8058), `DraftError` for what cannot be written as a message.
 */
export async function buildMessage(deps: BuildDeps, message: ClaimedMessage, content: MessageContent): Promise<Built> {
  if (message.purpose === 'marketing' && content.oneClickUrl === undefined) {
    throw new IncompleteMessageError('marketing mail needs an address to unsubscribe at')
  }
  const { key, rewrittenFields } = deps
  const name = { workspaceId: message.workspaceId, messageId: message.id }
  const messageId = deps.messageIdOf(name, key.domain)
  const returnPath = deps.returnPathOf(name)
  // Its own Message-ID stays where the return path is enough to know the message again.
  const composed = content.whole
    ? keptMail(content.whole, { messageId, keepsMessageId: returnPath !== null, date: new Date() })
    : composeMessage(draftOf(message, content, { messageId, listHeaders: listHeadersOf(deps, message, content) }))
  const bytes = await signMessage(composed, { ...key, rewrittenFields }, new Date())
  const { from, to, cc = [], bcc = [] } = content
  const recipients = [...to, ...cc]
    .map(({ address }) => address)
    .concat(bcc)
    .map(onWire)
  return { envelope: { from: returnPath ?? onWire(from.address), to: [...new Set(recipients)] }, bytes }
}

/** As the headers have it: an address that is read in two ways goes to two people. */
function onWire(address: string): string {
  const written = wireAddress(address)
  if (written === undefined) throw new DraftError('to', 'is not an email address')
  return written
}

type Own = { messageId: string; listHeaders: readonly (readonly [string, string])[] }

function draftOf(message: ClaimedMessage, content: MessageContent, { messageId, listHeaders }: Own): Draft {
  const { from, to, cc, replyTo, subject, html, text, attachments } = content
  return {
    // Beside HTML an empty text is worse than none: programs that prefer text would show nothing.
    ...{ from, to, subject, html, text: html !== null && text?.trim() === '' ? null : text },
    ...(cc === undefined ? {} : { cc }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(attachments === undefined ? {} : { attachments }),
    messageId,
    date: new Date(),
    headers: [...listHeaders, ...feedbackId(message), ...(content.headers ?? [])],
  }
}

/**
 * RFC 2369, RFC 8058 section 3 and RFC 2919: of mail that can be stopped, how, and the list it is of, by which people sort and
 * filters judge.
 */
function listHeadersOf(deps: BuildDeps, message: ClaimedMessage, { oneClickUrl }: MessageContent): [string, string][] {
  if (oneClickUrl === undefined) return []
  const { workspaceId, id: messageId } = message
  // A test shows the headers that it is a test of, and stops nothing.
  const address = sendingSourceOf(message) === null ? null : deps.unsubscribeAddressOf({ workspaceId, messageId })
  const by = address === null ? '' : `, <mailto:${address}?subject=unsubscribe>`
  return [
    ['List-Unsubscribe', `<${oneClickUrl}>${by}`],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['List-Id', `<w${workspaceId}.${deps.key.domain}>`],
  ]
}

/** Groups a source's messages in the complaint figures of Google's Postmaster Tools. */
function feedbackId({ workspaceId, sourceId, sourceKind }: ClaimedMessage): [string, string][] {
  return sourceId === null ? [] : [['Feedback-ID', `${sourceId}:${workspaceId}:${sourceKind}:postroom`]]
}
