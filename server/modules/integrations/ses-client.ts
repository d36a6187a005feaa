import type { SESv2Client } from '@aws-sdk/client-sesv2'
import type { AnswerHeaders, Exchange } from '../../platform/net/exchange.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { Secret } from '../../platform/telemetry/secret.ts'

/** The account of Amazon SES, and where it is reached. */
export type SesLogin = { region: string; endpoint: string | null; accessKeyId: Secret; secretAccessKey: Secret }

/** How a call ended; `error` is Amazon's (its name, its text), or what is wrong with an answer that is none of Amazon's. */
export type SesAnswer<Output> =
  | { outcome: 'answered'; output: Output }
  | { outcome: 'failed'; exchange: Exchange; error: Error }

/** A command of the SDK, and what comes of it. */
type Command<Output> = object & { readonly __output?: Output }

export type SesClient = {
  /** One signed request, never repeated. Rejects only for a command that could not be signed. */
  call<Output>(command: Command<Output>, deadlineMs: number): Promise<SesAnswer<Output>>
  close(): void
}

/**
 * Amazon SES (API v2) through the guarded client: an endpoint of a customer's choice gets no further than a webhook
 * would. The SDK signs and reads; it is loaded when it is first needed (measured beside what runs: 40 to 130 ms and
 * 8 MB), and what it would take from this machine's environment is given.
 */
export async function createSesClient(client: GuardedClient, login: SesLogin): Promise<SesClient> {
  const { SESv2Client } = await import('@aws-sdk/client-sesv2')
  const ses = new SESv2Client({
    region: login.region,
    endpoint: login.endpoint ?? amazonEndpoint(login.region),
    credentials: { accessKeyId: login.accessKeyId.reveal(), secretAccessKey: login.secretAccessKey.reveal() },
    maxAttempts: 1,
    retryMode: 'standard',
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    requestHandler: {
      async handle(request: SignedRequest, options: CallOptions) {
        const exchange = await client.send({ ...outgoing(request), deadlineMs: options.deadlineMs, wholeAnswer: true })
        options.onExchange(exchange)
        if (exchange.outcome !== 'answered') throw new Error('no answer')
        const { status, headers, bodyExcerpt } = exchange
        return { response: { statusCode: status, headers: flat(headers), body: Buffer.from(bodyExcerpt) } as never }
      },
    },
  })
  return {
    async call<Output>(command: Command<Output>, deadlineMs: number) {
      let exchange: Exchange | undefined
      const options: CallOptions = {
        deadlineMs,
        onExchange(ended) {
          exchange = ended
        },
      }
      try {
        return { outcome: 'answered', output: (await send(ses, command, options)) as Output }
      } catch (error) {
        if (exchange === undefined) throw error
        return { outcome: 'failed', exchange, error: error as Error }
      }
    },
    close: () => ses.destroy(),
  }
}

/** Options that the SDK passes on to its HTTP handler, beside the request. */
type CallOptions = { deadlineMs: number; onExchange: (exchange: Exchange) => void }

/** The SDK knows each command by its class, this file none. */
const send = (ses: SESv2Client, command: object, options: CallOptions): Promise<unknown> =>
  ses.send(command as never, options as never)

/** The request that the SDK hands to its HTTP handler. */
type SignedRequest = {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

/** Written by the guarded client itself, the first with the value that was signed. */
const FRAMING = new Set(['host', 'content-length', 'connection'])

function outgoing({ method, protocol, hostname, port, path, headers, body }: SignedRequest) {
  if (method !== 'GET' && method !== 'POST') throw new Error(`${method} is not a method of these calls`)
  const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`
  const sent = Object.entries(headers).filter(([name]) => !FRAMING.has(name.toLowerCase()))
  const written = body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(body) : body }
  return { method, url: origin + path, headers: Object.fromEntries(sent), ...written } as const
}

function flat(headers: AnswerHeaders = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

/** AWS General Reference, Amazon SES endpoints; China is a partition of its own. */
function amazonEndpoint(region: string): string {
  return `https://email.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}
