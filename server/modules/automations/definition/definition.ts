import type { Proof } from '../../../catalogue/proofs.ts'
import type { PropertyTest } from '../../segments/conditions.ts'
import type { Priority } from '../../sending/streams.ts'

/**
 * An automation as it is published: the canonical form (docs/guides/automations.md). Ids of nodes are their author's and
 * stay: people keep their places by them. Rule groups and filters are kept as they were written and are read anew
 * whenever they are asked, for they may speak of "the last 30 days".
 */
export type Definition = {
  format: 1
  class: MailClass
  /** How much its marketing mail matters beside others, where a person has room for one of them alone. */
  priority: Priority
  /** The zone of contacts that have none of their own. */
  defaultZone: string
  sender: Sender
  enter: Entry
  exit: readonly Exit[]
  goal: Goal | null
  /** A node's id, or END. */
  start: Target
  nodes: Readonly<Record<string, Node>>
  /** Where the builder draws each node; it means nothing to a run. */
  layout: Readonly<Record<string, readonly [number, number]>>
}

/** `service` is mail that somebody needs whether they want marketing or not. */
export const MAIL_CLASSES = ['marketing', 'service'] as const
export type MailClass = (typeof MAIL_CLASSES)[number]

/** Null: that of the default integration. */
export type Sender = { integrationId: string | null; fromEmail: string | null; fromName: string | null }

/** The target of an edge that ends the run as completed. */
export const END = 'end'
export type Target = string

/** A filter on an event's properties, as it was written; `readPropertyTests` says what it means. */
export type Where = readonly WrittenTest[]
export type WrittenTest = { property: string; operator: string; value?: unknown }
/** The same, read at a moment. */
export type Tests = readonly PropertyTest[]

/** `minProof`: how well it must be proven whose an event of a browser is; absent: TRIGGER_PROOF. */
export type Trigger =
  | { event: string; where: Where; minProof?: Proof }
  | { manual: true }
  | DateTrigger
  | ScheduleTrigger
export const TRIGGER_PROOF = 'confirmed' satisfies Proof

/** A day of each person, or so many days after it (before it where `days` is below zero), at a time of day by their own clock. */
export type DateTrigger = {
  /** The key of a custom field that is a date. */
  date: string
  repeat: (typeof DATE_REPEATS)[number]
  days: number
  at: string
  /** When the 29th of February is in a year that has none. */
  leapDay: (typeof LEAP_DAYS)[number]
}
export const DATE_REPEATS = ['once', 'yearly'] as const
export const LEAP_DAYS = ['feb28', 'mar1'] as const

/** A time of day, on certain weekdays or one day of the month, at which all of a segment come in; in the automation's zone. */
export type ScheduleTrigger = { schedule: Schedule; segment: string }
export type Schedule = { at: string; on: readonly Weekday[]; day: number | null }

/** Properties of an event that must be those of the trigger: the event's name for it, and the trigger's. */
export type Match = Readonly<Record<string, string>>

export const AGAIN_MODES = ['once', 'after_end', 'gap', 'every', 'restart'] as const
export type Again = {
  mode: (typeof AGAIN_MODES)[number]
  /** A property of the trigger: each value of it is entered by itself, as a cart or a booking. */
  key: string | null
  /** Of `gap`: how long after the entry before. */
  gap: Span | null
}

export type Entry = {
  on: readonly Trigger[]
  /** A rule group as segments have it, with trigger properties; null: everybody. */
  if: RuleText | null
  again: Again
  /** Of 10,000 people so many are held out, for ever the same. */
  holdout: number
}

/** JSON text of a rule group. */
export type RuleText = string

/** Something that happens to a contact. `minProof`: how well it must be proven whose an event of a browser is; absent: anything counts. */
export type Happening = { event: string; where: Where; match: Match; minProof?: Proof }

export type Exit = Happening
export type Goal = Happening & {
  /** The property whose number is summed up. */
  value: string | null
  within: Span
  /** Whether the run ends with it. */
  exit: boolean
}

/** A span of time. Months and days are those of a calendar, in the contact's zone; the rest is exact. */
export type Span = { months: number; days: number; ms: number }

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

export type Node =
  | EmailNode
  | DelayNode
  | WaitNode
  | BranchNode
  | SplitNode
  | TagNode
  | FieldNode
  | EmitNode
  | WebhookNode
  | NotifyNode
  | SetNode
  | { type: 'enroll'; automation: string; to: Target }
  | { type: 'leave'; automation: string; to: Target }
  | { type: 'goal'; to: Target }
  | { type: 'end' }
export type NodeType = Node['type']

export type EmailNode = {
  type: 'email'
  content: MailContent
  /** Later than so long after its time it is not sent any more, and the run goes on by `skipped`. */
  notLaterThan: Span | null
  to: Target
  /** The way of whoever is not mailed, for whatever reason. */
  skipped: Target
}
/** A template's version, which a draft may leave open (null: the one in force when it is published); or content of its own. */
export type MailContent =
  | { template: { id: string; version: number | null } }
  | { subject: string; body: string; text: string | null }

export type DelayNode = {
  type: 'delay'
  span: Span
  /** `HH:MM`: the next such local time. Months and days of the span then count dates, whatever time it is. */
  at: string | null
  /** Weekdays on which it may end; none: any. */
  on: readonly Weekday[]
  to: Target
}

export type WaitNode = {
  type: 'wait'
  for: readonly WaitWay[]
  timeout: Span
  /** The way of whoever has waited in vain. */
  late: Target
}
export type WaitWay = SignalWay | AskedWay | DatedWay
/** `set`: variables of the run that become properties of the event. */
export type SignalWay = Happening & { to: Target; set?: Readonly<Record<string, string>> }
/** The way of those for whom a rule holds: asked when they come, again and again while they wait, and at the end. */
export type AskedWay = { if: RuleText; to: Target }

/** The way of those whose moment has come: a date, or so long after it, before it where the numbers are below zero. */
export type DatedWay = {
  /** The key of a custom field that is a date; or `event.` and the property of the trigger, `var.` and the variable that is one. */
  date: string
  repeat: (typeof DATE_REPEATS)[number]
  days: number
  ms: number
  /** A time of day by the person's clock; null: that of the date, where it has one. */
  at: string | null
  leapDay: (typeof LEAP_DAYS)[number]
  to: Target
}

export const isHeard = (way: WaitWay): way is SignalWay => 'event' in way
export const isAsked = (way: WaitWay): way is AskedWay => 'if' in way
export const isDated = (way: WaitWay): way is DatedWay => 'date' in way
/** Whether people may leave a node without an event or its time-out. */
export const asks = (node: Node | undefined): node is WaitNode =>
  node?.type === 'wait' && node.for.some((way) => !isHeard(way))

/** Fields that only a run has: properties of what brought it in, and its own variables. */
export const TRIGGER = 'event.'
export const VARIABLE = 'var.'
const behind = (prefix: string, name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined)
/** The property of the trigger that a way's date is; undefined where it is something else. */
export const propertyOf = ({ date }: DatedWay): string | undefined => behind(TRIGGER, date)
/** The variable that a way's date is. */
export const variableOf = ({ date }: DatedWay): string | undefined => behind(VARIABLE, date)
/** The custom field that a way's date is. */
export const fieldOf = (way: DatedWay): string | undefined =>
  propertyOf(way) === undefined && variableOf(way) === undefined ? way.date : undefined

export type BranchNode = { type: 'branch'; ways: readonly { if: RuleText; to: Target }[]; else: Target }
/** Weights of 10,000. */
export type SplitNode = { type: 'split'; ways: readonly { weight: number; to: Target }[] }
export type TagNode = { type: 'tag'; add: readonly string[]; remove: readonly string[]; to: Target }
export type FieldNode = { type: 'field'; set: Readonly<Record<string, unknown>>; to: Target }
export type EmitNode = { type: 'emit'; event: string; properties: Readonly<Record<string, unknown>>; to: Target }

/** The way of whoever is to go past a node without having it done. */
export function wayPast(node: Node): { way: string; to: Target } {
  switch (node.type) {
    case 'email':
      return { way: 'skipped', to: node.skipped }
    case 'wait':
      return { way: 'late', to: node.late }
    case 'branch':
      return { way: 'else', to: node.else }
    case 'split':
      return { way: String(node.ways.length - 1), to: node.ways.at(-1)!.to }
    case 'end':
      return { way: 'end', to: END }
    default:
      return { way: 'to', to: node.to }
  }
}

/** Calls one endpoint: the delivery of an event that only this endpoint gets. */
export type WebhookNode = {
  type: 'webhook'
  endpoint: string
  properties: Readonly<Record<string, unknown>>
  to: Target
}

/** Tells members of the workspace by mail that somebody has come here. */
export type NotifyNode = {
  type: 'notify'
  /** Their addresses, in lower case; null: the owners. */
  members: readonly string[] | null
  subject: string
  /** Text with the variables that mails have. */
  message: string | null
  to: Target
}

/** Sets variables of the run: to a value, or to a property of what brought the person in. */
export type SetNode = { type: 'set'; set: Readonly<Record<string, VariableValue>>; to: Target }
export type VariableValue = string | number | boolean | null | { event: string }

/** The edges that leave a node, by the name that counts and traces give them. */
export function waysOf(node: Node): readonly { way: string; to: Target; pointer: string }[] {
  switch (node.type) {
    case 'email':
      return [
        { way: 'to', to: node.to, pointer: '/to' },
        { way: 'skipped', to: node.skipped, pointer: '/skipped' },
      ]
    case 'wait':
      return [
        ...node.for.map(({ to }, n) => ({ way: String(n), to, pointer: `/for/${n}/to` })),
        { way: 'late', to: node.late, pointer: '/late' },
      ]
    case 'branch':
      return [
        ...node.ways.map(({ to }, n) => ({ way: String(n), to, pointer: `/ways/${n}/to` })),
        { way: 'else', to: node.else, pointer: '/else' },
      ]
    case 'split':
      return node.ways.map(({ to }, n) => ({ way: String(n), to, pointer: `/ways/${n}/to` }))
    case 'end':
      return []
    default:
      return [{ way: 'to', to: node.to, pointer: '/to' }]
  }
}

/** The rule groups of a node, each with its place in it. */
export function rulesOfNode(node: Node): { pointer: string; text: RuleText }[] {
  if (node.type === 'branch') return node.ways.map((way, n) => ({ pointer: `/ways/${n}/if`, text: way.if }))
  if (node.type !== 'wait') return []
  return node.for.flatMap((way, n) => (isAsked(way) ? [{ pointer: `/for/${n}/if`, text: way.if }] : []))
}
