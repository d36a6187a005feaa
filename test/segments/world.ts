/** The world of a naive evaluation: one workspace, all of it in memory. */
export type World = {
  /** RFC 3339 in milliseconds: the "now" of every rule that counts days. */
  now: string
  fieldTypes: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'datetime'>>
  /** Names of the tags that there are. */
  tags: readonly string[]
  segments: { id: string; definition: string }[]
  people: readonly Person[]
}

export type Person = {
  id: string
  columns: Record<string, string | null>
  custom: Record<string, unknown>
  tags: readonly string[]
  events: readonly { name: string; at: string; data: Record<string, unknown> }[]
}

export type Random = () => number
export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
export const chance = (random: Random, share: number): boolean => random() < share
export const upTo = (random: Random, max: number): number => Math.floor(random() * (max + 1))

const DAY_MS = 86_400_000
const PEOPLE = 60
const EVENTS_MAX = 12

export const NAMES = ['Ada', 'ada', 'ADÄ', 'Grace', "O'Neill", '100%', 'a_b', 'back\\slash', 'Ωmega', '中文']
export const ZONES = ['Europe/Berlin', 'Asia/Tokyo', 'UTC']
export const EMAILS = Array.from({ length: PEOPLE }, (_, n) => `person${n}@${n % 3 === 0 ? 'example' : 'mail'}.com`)
export const TAGS = ['VIP', 'trial', 'Über', "it's", 'a,b']
export const EVENT_NAMES = ['page.viewed', 'order.placed', 'email.opened', "x'; drop table contacts; --"]
export const TEXTS = ['pro', 'Pro', 'free', '', '42', 'true', 'a,b', '50% _off_', 'null', '"quoted"', 'né']
export const NUMBERS = [-3, 0, 1, 1.5, 2, 10, 42, 1e6, 0.1]
export const TIMES = [
  '2026-01-15T10:00:00Z',
  '2026-01-15T12:00:00+02:00',
  '2026-01-15T10:00:00.250Z',
  '2025-12-31',
  '2024-02-29T23:59:59Z',
  '2026-11-01T00:00:00Z',
  '2026-11-20T08:30:00Z',
]
export const NO_TIMES = ['2026-02-30T00:00:00Z', '2025-02-29', 'soon', '', '2026-01-15T25:00:00Z', '2026-13-01']
export const NOW = '2026-11-21T06:00:00.000Z'

export const FIELD_TYPES = {
  plan: 'string',
  mixed: 'string',
  age: 'number',
  vip: 'boolean',
  joined: 'datetime',
} as const
/** No field is declared under it, and one that nobody has. */
export const STRAY_KEYS = ['stray', "k'); --", 'nobody']

export function randomPeople(random: Random, idOf: (index: number) => string): Person[] {
  return Array.from({ length: PEOPLE }, (_, index) => ({
    id: idOf(index),
    columns: {
      subject_id: chance(random, 0.8) ? `user-${index}` : null,
      email: EMAILS[index] ?? null,
      phone: chance(random, 0.3) ? `+49 ${1000 + index}` : null,
      first_name: chance(random, 0.8) ? pick(random, NAMES) : null,
      last_name: chance(random, 0.5) ? pick(random, NAMES) : null,
      time_zone: chance(random, 0.6) ? pick(random, ZONES) : null,
      created_at: momentAround(random),
      updated_at: momentAround(random),
    },
    custom: randomCustom(random),
    tags: TAGS.filter(() => chance(random, 0.3)),
    events: Array.from({ length: upTo(random, EVENTS_MAX) }, () => ({
      name: pick(random, EVENT_NAMES),
      at: momentAround(random),
      data: randomProperties(random),
    })),
  }))
}

function momentAround(random: Random): string {
  const days = Math.floor(random() * 120) - 115
  const exact = chance(random, 0.1) ? 0 : Math.floor(random() * DAY_MS)
  return new Date(Date.parse(NOW) + days * DAY_MS + exact).toISOString()
}

function randomCustom(random: Random): Record<string, unknown> {
  const fields: Record<string, () => unknown> = {
    plan: () => pick(random, TEXTS),
    mixed: () => anything(random),
    age: () => (chance(random, 0.8) ? pick(random, NUMBERS) : anything(random)),
    vip: () => (chance(random, 0.8) ? chance(random, 0.5) : anything(random)),
    joined: () => (chance(random, 0.7) ? pick(random, TIMES) : anything(random)),
    stray: () => anything(random),
    [STRAY_KEYS[1] as string]: () => anything(random),
  }
  const held = Object.entries(fields).filter(() => chance(random, 0.7))
  return Object.fromEntries(held.map(([key, value]) => [key, value()]))
}

function randomProperties(random: Random): Record<string, unknown> {
  const properties: Record<string, () => unknown> = {
    price: () => (chance(random, 0.8) ? pick(random, NUMBERS) : anything(random)),
    kind: () => pick(random, TEXTS),
    paid: () => (chance(random, 0.7) ? chance(random, 0.5) : anything(random)),
    due: () => (chance(random, 0.7) ? pick(random, TIMES) : anything(random)),
  }
  const held = Object.entries(properties).filter(() => chance(random, 0.7))
  return Object.fromEntries(held.map(([key, value]) => [key, value()]))
}

function anything(random: Random): unknown {
  return pick<() => unknown>(random, [
    () => pick(random, TEXTS),
    () => pick(random, NUMBERS),
    () => pick(random, TIMES),
    () => pick(random, NO_TIMES),
    () => chance(random, 0.5),
    () => TEXTS.filter(() => chance(random, 0.3)),
    () => [1, 'pro', null],
    () => ({ plan: 'pro' }),
  ])()
}
