import { randomUUID, sign } from 'node:crypto'
import { type SnsMessage, signedText } from '../../server/modules/feedback/sns-message.ts'
import type { Outgoing } from '../../server/platform/net/guarded-client.ts'
import { SNS_CERTIFICATES, SNS_KEYS } from './sns-certificates.ts'

export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:ses-feedback'
const HOST = 'https://sns.eu-west-1.amazonaws.com'
export const CERTIFICATE_URL = `${HOST}/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem`

export const subscribeUrl = (topic = TOPIC) => `${HOST}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37`

/** A message as Amazon would post it, properly signed with what it says at last. */
export function snsMessage(
  message: string,
  fields: Partial<SnsMessage> = {},
  key: keyof typeof SNS_KEYS = 'good',
): SnsMessage {
  const unsigned: SnsMessage = {
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: TOPIC,
    Message: message,
    Timestamp: new Date().toISOString(),
    SignatureVersion: '2',
    Signature: '',
    SigningCertURL: CERTIFICATE_URL,
    ...fields,
  }
  const algorithm = unsigned.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256'
  const signature = sign(algorithm, Buffer.from(signedText(unsigned)), SNS_KEYS[key]).toString('base64')
  return { ...unsigned, Signature: fields.Signature ?? signature }
}

/** Amazon's own hosts, to the extent that they are asked: certificates, and confirming a subscription. */
export function startSns(certificates: Record<string, string> = {}) {
  const asked: string[] = []
  const served: Record<string, string> = { [CERTIFICATE_URL]: SNS_CERTIFICATES.good, ...certificates }
  return {
    /** Every URL that was asked for. */
    asked,
    /** The status that confirming answers with. */
    confirmStatus: 200,
    async send({ url }: Outgoing) {
      asked.push(url)
      const body = served[url]
      const status = url.includes('ConfirmSubscription') ? this.confirmStatus : body === undefined ? 404 : 200
      return {
        outcome: 'answered' as const,
        status,
        retryAfter: null,
        bodyExcerpt: body ?? '',
        headers: {},
        durationMs: 1,
      }
    },
  }
}
