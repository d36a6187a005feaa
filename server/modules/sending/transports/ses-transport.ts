import type { SendEmailCommandOutput } from '@aws-sdk/client-sesv2'
import { replyLine } from '../../../platform/mail/read-replies.ts'
import type { GuardedClient } from '../../../platform/net/guarded-client.ts'
import { createSesClient, type SesClient, type SesLogin } from '../../integrations/ses-client.ts'
import { sesRefusal, sesUnanswered } from './ses-reply.ts'
import type { Handing, Handover, Transport } from './transport.ts'

/** Requests under way at once, of this process. */
export const REQUESTS_MAX = 32
/** Covers a request from the look-up to the whole answer; giving up on one that was written may send twice. */
export const SEND_DEADLINE_MS = 60_000

/**
 * Sends through Amazon SES: the message as we made and signed it, to the envelope's recipients, in one request that is
 * never repeated. Amazon puts a return path of its own.
 */
export function createSesTransport(client: GuardedClient, login: SesLogin, deadlineMs = SEND_DEADLINE_MS): Transport {
  let ses: Promise<SesClient> | undefined
  let underWay = 0
  let closed = false
  let drained: (() => void) | undefined
  const waiting: (() => void)[] = []

  async function handOver({ envelope, bytes, beforeContent }: Handing): Promise<Handover> {
    ses ??= createSesClient(client, login)
    const [{ SendEmailCommand }, opened] = await Promise.all([import('@aws-sdk/client-sesv2'), ses])
    if (!(await beforeContent())) return { outcome: 'withdrawn' }
    const command = new SendEmailCommand({
      Destination: { ToAddresses: [...envelope.to] },
      Content: { Raw: { Data: bytes } },
    })
    const answer = await opened.call<SendEmailCommandOutput>(command, deadlineMs)
    if (answer.outcome === 'answered') return accepted(answer.output.MessageId)
    const { exchange, error } = answer
    if (exchange.outcome !== 'answered') return sesUnanswered(exchange)
    if (exchange.status < 300) return { outcome: 'unanswered', cause: 'malformed_reply' }
    if (exchange.status < 400)
      return { outcome: 'unsent', cause: 'not_ses', message: 'What answers is not Amazon SES.' }
    const { name, message } = error
    const showMessage = login.endpoint === null
    const known = /^\w{1,80}$/.test(name) ? name : 'Error'
    const refusal = { name: known, message, from: envelope.from, showMessage }
    return { outcome: 'refused', reply: sesRefusal(exchange.status, refusal) }
  }

  return {
    provider: 'ses',
    concurrency: REQUESTS_MAX,
    async send(handing) {
      if (closed) return { outcome: 'unsent', cause: 'transport_closed', message: 'The service is stopping.' }
      if (underWay >= REQUESTS_MAX) await new Promise<void>((admit) => waiting.push(admit))
      else underWay += 1
      try {
        return await handOver(handing)
      } finally {
        // The place passes straight to the next in line, if there is one.
        const next = waiting.shift()
        if (next === undefined) underWay -= 1
        else next()
        if (underWay === 0) drained?.()
      }
    },
    async close(withinMs) {
      closed = true
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          drained = resolve
          if (withinMs !== undefined) setTimeout(resolve, withinMs).unref()
        })
      }
      const opened = await ses
      opened?.close()
    },
  }
}

function accepted(messageId: string | undefined): Handover {
  if (messageId === undefined) return { outcome: 'unanswered', cause: 'malformed_reply' }
  return {
    outcome: 'accepted',
    providerMessageId: messageId,
    reply: replyLine({ code: 250, enhanced: '2.0.0', text: `Ok ${messageId}` }),
  }
}
