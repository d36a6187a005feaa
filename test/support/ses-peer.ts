import { createHash, createHmac } from 'node:crypto'
import { type ReceivedRequest, type Receiver, startReceiver } from './receiver.ts'
import type { Behaviour } from './receiver-behaviour.ts'

export const SES_LOGIN = { accessKeyId: 'AKIACANARYKEYID7QX2', secretAccessKey: 'canary-ses-secret/3jf0+x9' }
export const SES_REGION = 'eu-central-1'

/** A message as the service took it. */
export type SesMessage = { to: readonly string[]; raw: Buffer; id: string }

export type SesPeer = Pick<Receiver, 'url' | 'requests' | 'connectionsAccepted' | 'waitFor' | 'close'> & {
  /** Messages taken, in order. */
  readonly messages: readonly SesMessage[]
  /** Sets the quota that the account has from now on. */
  grant(quota: { perSecond?: unknown; perDay?: unknown; sent?: number; sandbox?: boolean; paused?: boolean }): void
  /** Answers every further request like this, signed well or not; undefined = as an account does. A function decides each time. */
  misbehave(behaviour: Behaviour | undefined | (() => Behaviour | undefined)): void
}

/**
 * Starts a service that answers GetAccount and takes raw messages as Amazon SES does (API v2): it checks the whole Signature Version 4 of a
 * request, and names its errors in the header that the real one uses.
 */
export async function startSesPeer(): Promise<SesPeer> {
  let account = accountOf({})
  let misbehaviour: Behaviour | undefined | (() => Behaviour | undefined)
  const messages: SesMessage[] = []
  const receiver = await startReceiver({
    behave(request) {
      const wrong = typeof misbehaviour === 'function' ? misbehaviour() : misbehaviour
      return wrong ?? answerTo(request, { account, messages })
    },
  })
  return {
    url: receiver.url,
    requests: receiver.requests,
    messages,
    get connectionsAccepted() {
      return receiver.connectionsAccepted
    },
    waitFor: receiver.waitFor,
    close: receiver.close,
    grant(quota) {
      account = accountOf(quota)
    },
    misbehave(behaviour) {
      misbehaviour = behaviour
    },
  }
}

type Quota = Parameters<SesPeer['grant']>[0]

function accountOf({ perSecond = 14, perDay = 50_000, sent = 0, sandbox = false, paused = false }: Quota): object {
  return {
    DedicatedIpAutoWarmupEnabled: true,
    Details: { MailType: 'MARKETING', UseCaseDescription: 'x'.repeat(5_000) },
    EnforcementStatus: 'HEALTHY',
    ProductionAccessEnabled: !sandbox,
    SendQuota: { Max24HourSend: perDay, MaxSendRate: perSecond, SentLast24Hours: sent },
    SendingEnabled: !paused,
  }
}

type World = { account: object; messages: SesMessage[] }

function answerTo(request: ReceivedRequest, { account, messages }: World): Behaviour {
  const operation = `${request.method} ${request.path}`
  const sends = operation === 'POST /v2/email/outbound-emails'
  if (!sends && operation !== 'GET /v2/email/account') return sesError(404, 'NotFoundException')
  const fault = signatureFault(request)
  if (fault) return sesError(403, fault)
  if (!sends) return json(account)
  const { Destination, Content } = JSON.parse(request.body.toString())
  const id = `0100019355aa1b2c-${messages.length}-000000`
  messages.push({ to: Destination.ToAddresses, raw: Buffer.from(Content.Raw.Data, 'base64'), id })
  return json({ MessageId: id })
}

function json(body: object): Behaviour {
  return { kind: 'answer', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** An error as SES answers it. */
export function sesError(status: number, name: string, message = 'see the error type'): Behaviour {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': name }
  return { kind: 'answer', status, headers, body: JSON.stringify({ message }) }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<scope>(?<day>\d{8})\/(?<region>[^/]+)\/ses\/aws4_request), SignedHeaders=(?<signed>[^,]+), Signature=(?<signature>[0-9a-f]{64})$/

/** AWS Signature Version 4, computed anew from what came over the wire. */
function signatureFault({ method, path, headers, body }: ReceivedRequest): string | undefined {
  const parts = AUTHORIZATION.exec(String(headers.authorization ?? ''))?.groups
  if (!parts) return 'IncompleteSignature'
  const { key, scope, day, region, signed, signature } = parts as Record<string, string>
  if (key !== SES_LOGIN.accessKeyId) return 'InvalidClientTokenId'
  const names = signed!.split(';')
  if (!names.includes('host') || region !== SES_REGION) return 'SignatureDoesNotMatch'
  const canonical = [
    ...[method, path, ''],
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    ...['', signed, sha256(body)],
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const steps = [day!, region!, 'ses', 'aws4_request']
  const signingKey = steps.reduce<string | Buffer>(
    (secret, step) => hmac(secret, step),
    `AWS4${SES_LOGIN.secretAccessKey}`,
  )
  return hmac(signingKey, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
