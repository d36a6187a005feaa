import { BY_PEOPLE, HITS } from './rule-catalogue.ts'

/** A condition on a property of an event, as definitions have it. */
type Condition = { property?: unknown; operator?: unknown; value?: unknown }

/** What mail comes from, by the property that has its id. */
const SOURCES = { broadcastId: 'broadcast', automationId: 'automation' } as const

export const isOfMail = (field: string) => field.startsWith('event:email.')
export const mayBeMachines = (field: string) => HITS.includes(field)

export const conditionsOf = (where: unknown): readonly Condition[] => (Array.isArray(where) ? where : [])

const isEqual = ({ operator }: Condition) => operator === '='
const isSource = (one: Condition) => isEqual(one) && String(one.property) in SOURCES
const isByPeople = (one: Condition) => isEqual(one) && one.property === 'machine' && String(one.value) === 'false'

/** The mail that is meant, `broadcastId 12`; empty: any. A second one beside it, which no event is of as well, is a condition like others. */
export function mailOf(where: readonly Condition[]): string {
  const found = where.find(isSource)
  return found === undefined ? '' : `${found.property} ${found.value}`
}

/** The conditions with another mail meant. */
export function withMail(where: readonly Condition[], mail: string): readonly Condition[] {
  const [property, value] = mail.split(' ')
  const meant = where.find(isSource)
  const others = where.filter((one) => one !== meant)
  return mail === '' ? others : [{ property, operator: '=', value }, ...others]
}

export const areByPeople = (where: readonly Condition[]) => where.some(isByPeople)

export function withPeople(where: readonly Condition[], isPeople: boolean): readonly Condition[] {
  const others = where.filter((one) => !isByPeople(one))
  return isPeople ? [...others, BY_PEOPLE] : others
}

/** How many more there are than can be chosen. */
export function othersOf(field: string, where: readonly Condition[]): number {
  if (!isOfMail(field)) return where.length
  const meant = where.find(isSource)
  const own = where.filter((one) => one === meant || (mayBeMachines(field) && isByPeople(one)))
  return where.length - own.length
}
