import { type Static, Type } from 'typebox'
import { PROVIDERS } from '../../catalogue/providers.ts'
import { SMTP_TLS_MODES } from '../../platform/mail/smtp-server.ts'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { CHECK_CODES, CHECK_PHASES } from './check-failures.ts'

export const CHANNELS = ['email'] as const
const LIMIT_SOURCES = ['manual', 'provider', 'none'] as const
const SEND_WARNINGS = ['unlimited', 'providerQuotaUnavailable', 'dailyLimitNear', 'dailyLimitReached'] as const
export type SendWarning = (typeof SEND_WARNINGS)[number]

const MAX_PER_SECOND_MAX = 10_000
const MAX_PER_DAY_MAX = 100_000_000
const NAME_CHARS_MAX = 200

const description = {
  host: 'Name or address of the mail server.',
  tls: '`implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, `none` from a server on this machine, else `starttls`.',
  region: 'Region of Amazon SES.',
  endpoint: 'Origin of a service that is compatible with Amazon SES.',
  from: 'Address that mail is sent from.',
}

const Limit = answer('EffectiveLimit', {
  limit: nullable(
    Type.Integer({
      description: 'The lower one of what is configured and what the provider allows; null without either.',
    }),
  ),
  source: oneOf(LIMIT_SOURCES, { description: 'Where the limit comes from; `manual` when both are the same.' }),
})

/** Interface specification, Integration. No secret is part of it. */
export const Integration = answer('Integration', {
  id: Id,
  name: Type.String({ examples: ['Newsletter relay'] }),
  channel: oneOf(CHANNELS),
  provider: oneOf(PROVIDERS, { description: 'The kind of its config.' }),
  enabled: Type.Boolean(),
  isDefault: Type.Boolean({ description: 'At most one of a channel is.' }),
  maxPerSecond: nullable(Type.Integer({ description: 'Configured limit.' })),
  maxPerDay: nullable(Type.Integer({ description: 'Configured limit, over any 24 hours.' })),
  sendLimit: Type.Object({
    perSecond: Limit,
    perDay: Limit,
    sentLast24h: Type.Integer({ description: 'Sent through it in the last 24 hours, in whole minutes.' }),
    warnings: Type.Array(oneOf(SEND_WARNINGS)),
  }),
  config: Type.Object(
    {
      kind: oneOf(PROVIDERS),
      host: nullable(Type.String({ description: description.host, examples: ['smtp.example.com'] })),
      port: nullable(Type.Integer({ examples: [587] })),
      username: nullable(Type.String()),
      from: Type.String({ description: description.from, examples: ['news@example.com'] }),
      fromName: nullable(Type.String({ examples: ['Example News'] })),
      tls: nullable(oneOf(SMTP_TLS_MODES, { description: description.tls })),
      region: nullable(Type.String({ description: description.region, examples: [null] })),
      endpoint: nullable(Type.String({ description: description.endpoint, examples: [null] })),
      accessKeyIdLast4: nullable(Type.String({ description: 'To tell keys apart.', examples: [null] })),
      fromVerified: Type.Boolean({
        description:
          'Whether the domain of `from` is a verified sending domain. While it is not, what has no sender of its own ' +
          'is refused or waits. For the mailbox a domain that is not verified will do.',
      }),
    },
    { description: 'Fields that the kind does not have are null. Passwords and keys are never in an answer.' },
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Integration = Static<typeof Integration>

const secret = (text: string, maxLength: number) =>
  nullable(Type.String({ maxLength, description: `${text} Write-only.` }))

const settings = {
  host: Type.String({ minLength: 1, maxLength: 253, description: description.host, examples: ['smtp.example.com'] }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, examples: [587] }),
  tls: oneOf(SMTP_TLS_MODES, { description: description.tls }),
  username: nullable(Type.String({ maxLength: 320, description: 'Without one no login is made.' })),
  password: secret('Belongs to `username`. An OAuth access token is written `Bearer …`.', 4_096),
  region: Type.String({ minLength: 1, maxLength: 32, description: description.region }),
  accessKeyId: secret('Of a key that may send and read the account (`ses:GetAccount`).', 128),
  secretAccessKey: secret('Belongs to `accessKeyId`.', 256),
  endpoint: nullable(Type.String({ maxLength: 2_048, description: description.endpoint })),
  from: Type.String({ minLength: 1, maxLength: 300, description: description.from, examples: ['news@example.com'] }),
  fromName: nullable(Type.String({ maxLength: 200, examples: ['Example News'] })),
}

const CONFIG_EXAMPLE = { kind: 'smtp', host: 'smtp.example.com', port: 587, from: 'news@example.com' }

/** Both kinds in one: which fields a kind needs and has is checked by `readSettings`, which names the field at fault. */
const ConfigBody = closed(
  'IntegrationConfigBody',
  { kind: oneOf(PROVIDERS), ...Type.Partial(Type.Object(settings)).properties },
  {
    description: '`smtp` needs `host`, `port`, `from`; `ses` needs `region`, `accessKeyId`, `secretAccessKey`, `from`.',
    examples: [
      { kind: 'smtp', host: 'smtp.example.com', port: 587, username: 'news', password: '…', from: 'news@example.com' },
      { kind: 'ses', region: 'eu-central-1', accessKeyId: '…', secretAccessKey: '…', from: 'news@example.com' },
    ],
  },
)

const ConfigChange = closed(
  'IntegrationConfigChange',
  Type.Partial(Type.Object({ kind: oneOf(PROVIDERS), ...settings })).properties,
  {
    description:
      'Absent fields stay, null clears; a secret that is absent or blank stays, unless mail would go to another server. ' +
      'With another kind it is as at the creation.',
  },
)
export type ConfigChange = Static<typeof ConfigChange>

const fields = {
  name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, examples: ['Newsletter relay'] }),
  enabled: Type.Boolean({ description: 'false: nothing is sent through it.' }),
  isDefault: Type.Boolean({ description: 'true makes it the default of its channel, and the one before it none.' }),
  maxPerSecond: nullable(Type.Integer({ minimum: 1, maximum: MAX_PER_SECOND_MAX, examples: [10] })),
  maxPerDay: nullable(Type.Integer({ minimum: 1, maximum: MAX_PER_DAY_MAX, examples: [50_000] })),
}
const optional = Type.Partial(Type.Object(fields)).properties

export const IntegrationBody = closed(
  'IntegrationBody',
  {
    ...optional,
    name: fields.name,
    channel: Type.Optional(oneOf(CHANNELS, { description: 'Email when absent.' })),
    provider: Type.Optional(oneOf(PROVIDERS, { description: 'The kind of `config`, when it is given.' })),
    config: ConfigBody,
  },
  { examples: [{ name: 'Newsletter relay', isDefault: true, config: CONFIG_EXAMPLE }] },
)
export type IntegrationBody = Static<typeof IntegrationBody>

export const IntegrationChange = closed(
  'IntegrationChange',
  { ...optional, config: Type.Optional(ConfigChange) },
  { examples: [{ maxPerSecond: 10 }] },
)
export type IntegrationChange = Static<typeof IntegrationChange>

export const TestBody = closed(
  'IntegrationTestBody',
  { config: ConfigBody },
  { examples: [{ config: CONFIG_EXAMPLE }] },
)

export const TestResult = answer('IntegrationTestResult', {
  ok: Type.Boolean({ description: 'Whether mail could be handed over now. Nothing was sent.' }),
  phase: nullable(oneOf(CHECK_PHASES, { description: 'Where it failed.' })),
  code: oneOf(['ok', ...CHECK_CODES], { description: 'Stable: branch on this.' }),
  message: Type.String({ description: 'For a person.', examples: ['The server accepts the login.'] }),
  reply: nullable(Type.String({ description: "The server's answer when it refused." })),
  tlsVersion: nullable(Type.String({ description: 'Null for clear text, and for `ses`.', examples: ['TLSv1.3'] })),
  durationMs: Type.Integer(),
})
