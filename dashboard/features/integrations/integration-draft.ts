import type { Integration, IntegrationConfigBody } from '../../lib/site-types.ts'

/** What is typed into the form, texts all. */
export type Draft = {
  name: string
  kind: 'smtp' | 'ses'
  host: string
  port: string
  tls: '' | 'implicit' | 'starttls' | 'none'
  username: string
  password: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  endpoint: string
  from: string
  fromName: string
  maxPerSecond: string
  maxPerDay: string
}

export const NEW_DRAFT: Draft = {
  name: '',
  kind: 'smtp',
  host: '',
  port: '587',
  tls: '',
  username: '',
  password: '',
  region: 'eu-central-1',
  accessKeyId: '',
  secretAccessKey: '',
  endpoint: '',
  from: '',
  fromName: '',
  maxPerSecond: '',
  maxPerDay: '',
}

/** Secrets are blank: they never leave the server, and blank ones stay. */
export function draftOf({ name, config, maxPerSecond, maxPerDay }: Integration): Draft {
  return {
    ...NEW_DRAFT,
    name,
    kind: config.kind,
    host: config.host ?? '',
    port: config.port === null ? '' : String(config.port),
    tls: config.tls ?? '',
    username: config.username ?? '',
    region: config.region ?? '',
    endpoint: config.endpoint ?? '',
    from: config.from,
    fromName: config.fromName ?? '',
    maxPerSecond: maxPerSecond === null ? '' : String(maxPerSecond),
    maxPerDay: maxPerDay === null ? '' : String(maxPerDay),
  }
}

/** A blank secret is left out, and stays as it was. */
export function configOf(draft: Draft): IntegrationConfigBody {
  const sender = { from: draft.from.trim(), fromName: draft.fromName.trim() || null }
  if (draft.kind === 'ses') {
    return {
      kind: 'ses',
      region: draft.region.trim(),
      endpoint: draft.endpoint.trim() || null,
      ...(draft.accessKeyId === '' ? {} : { accessKeyId: draft.accessKeyId.trim() }),
      ...(draft.secretAccessKey === '' ? {} : { secretAccessKey: draft.secretAccessKey }),
      ...sender,
    }
  }
  return {
    kind: 'smtp',
    host: draft.host.trim(),
    ...(draft.port === '' ? {} : { port: Number(draft.port) }),
    ...(draft.tls === '' ? {} : { tls: draft.tls }),
    username: draft.username.trim() || null,
    ...(draft.password === '' ? {} : { password: draft.password }),
    ...sender,
  }
}

export function limitsOf({ maxPerSecond, maxPerDay }: Draft) {
  return { maxPerSecond: limitOf(maxPerSecond), maxPerDay: limitOf(maxPerDay) }
}

function limitOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

/** Fields by the pointers of the server's faults. */
export const POINTERS: Readonly<Record<Exclude<keyof Draft, 'kind'>, string>> = {
  name: '/name',
  host: '/config/host',
  port: '/config/port',
  tls: '/config/tls',
  username: '/config/username',
  password: '/config/password',
  region: '/config/region',
  accessKeyId: '/config/accessKeyId',
  secretAccessKey: '/config/secretAccessKey',
  endpoint: '/config/endpoint',
  from: '/config/from',
  fromName: '/config/fromName',
  maxPerSecond: '/maxPerSecond',
  maxPerDay: '/maxPerDay',
}
