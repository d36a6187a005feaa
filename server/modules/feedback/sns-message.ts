/** A message of Amazon SNS as it is posted (SNS developer guide, "HTTP/HTTPS notification JSON format"); nothing in it is proven. */
export type SnsMessage = {
  Type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation'
  MessageId: string
  TopicArn: string
  Message: string
  Timestamp: string
  SignatureVersion: string
  Signature: string
  SigningCertURL: string
  Subject?: string
  Token?: string
  SubscribeURL?: string
}

const TYPES = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const
const REQUIRED = [
  ...(['MessageId', 'TopicArn', 'Message', 'Timestamp'] as const),
  ...(['SignatureVersion', 'Signature', 'SigningCertURL'] as const),
]
const SIGNED_CHARS_MAX = 1_000

/** The message in a body, or undefined. Every field that is signed is a text: nothing else could be signed as one. */
export function readSnsMessage(body: string): SnsMessage | undefined {
  const value = parsed(body)
  if (value === undefined) return undefined
  const { Type: type } = value
  const isText = (name: string) => typeof value[name] === 'string'
  if (!TYPES.some((known) => known === type) || !REQUIRED.every(isText)) return undefined
  const optional = type === 'Notification' ? ['Subject'] : ['Token', 'SubscribeURL']
  if (type === 'Notification' ? 'Subject' in value && !isText('Subject') : !optional.every(isText)) return undefined
  const tooLong = REQUIRED.some((name) => name !== 'Message' && (value[name] as string).length > SIGNED_CHARS_MAX)
  return tooLong ? undefined : (value as SnsMessage)
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const

/** The signed text: name and value of each field, a line each, those that are not there left out. */
export function signedText(message: SnsMessage): string {
  return SIGNED[message.Type]
    .flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]))
    .join('')
}

const TOPIC = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2}):\d{12}:[A-Za-z0-9_-]{1,256}$/

/** Where a topic lives; undefined for what is no topic's ARN. */
export function topicRegion(arn: string): { region: string; host: string } | undefined {
  const [, partition, region] = TOPIC.exec(arn) ?? []
  if (partition === undefined || region === undefined) return undefined
  return { region, host: `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}` }
}

const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{16,64}\.pem$/

/** Whether a URL is a signing certificate of SNS in the topic's own region, and nothing else in disguise. */
export function isCertificateUrl(text: string, host: string): boolean {
  const url = ownUrl(text, host)
  return url !== undefined && CERTIFICATE_PATH.test(url.pathname) && url.search === ''
}

/** Whether a URL confirms a subscription to this very topic. */
export function isSubscribeUrl(text: string, { host, topic }: { host: string; topic: string }): boolean {
  const url = ownUrl(text, host)
  if (url === undefined || url.pathname !== '/') return false
  const [action, arn] = [url.searchParams.getAll('Action'), url.searchParams.getAll('TopicArn')]
  return action.join() === 'ConfirmSubscription' && arn.join() === topic
}

function ownUrl(text: string, host: string): URL | undefined {
  const url = URL.parse(text)
  // As it was written: no port, no credentials, no fragment, no other spelling of the host.
  const isOwn = url?.origin === `https://${host}` && text.startsWith(`https://${host}/`) && url.hash === ''
  return isOwn && url.username === '' && url.password === '' ? url : undefined
}
