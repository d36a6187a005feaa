import { LocalDate, LocalTime, ZonedDateTime, ZoneId } from '@js-joda/core'
import '@js-joda/timezone'
import type {
  DateTrigger,
  Definition,
  ScheduleTrigger,
} from '../../server/modules/automations/definition/definition.ts'
import { type Sweep, sweepsOf } from '../../server/modules/automations/definition/sweeps.ts'
import { comeLate } from '../../server/modules/automations/run/model/come-late.ts'
import { type Happening, inOrder } from '../../server/modules/automations/run/model/follow.ts'
import type { Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { inForceAt } from './engine-worlds.ts'
import { type Going, interpretedBy, type Watched } from './interpret-acts.ts'
import { groupHolds, standing } from './random-worlds.ts'
import { isOpenAt, pauseAt, placeAt } from './sound-acts.ts'
import { BEGIN, UNTIL } from './world-times.ts'

/*
 * Who comes in by a date or a schedule, as docs/guides/automations.md says it: whoever has the day, by their field as it is when it is looked
 * after, at the time of day by their own clock; of a schedule all of a segment, at the last moment alone.
 */

/** A trigger that a time brings about: up to when it is looked after, and since when a newer version has it otherwise. */
export type Sweeping = { spec: string; trigger: Sweep; doneTo: Micros; endsAt: Micros | null }

type Coming = { place: number; at: Micros; key: string }

/** From now on these bring people in; one of the same date or segment that is no more still owes what came until now. */
export function sweepBy(going: Going, definition: Definition, at: Micros): void {
  const own = sweepsOf(definition).map((trigger) => ({ spec: JSON.stringify(trigger), trigger }))
  const specs = own.map(({ spec }) => spec)
  const subjects = own.map(({ trigger }) => subjectOf(trigger))
  const kept = going.sweeps
    .filter(({ trigger }) => subjects.includes(subjectOf(trigger)))
    .map((one) => ({ ...one, endsAt: specs.includes(one.spec) ? null : (one.endsAt ?? at) }))
  const added = own.filter(({ spec }) => kept.every((one) => one.spec !== spec))
  going.sweeps = [...kept, ...added.map((one) => ({ ...one, doneTo: at, endsAt: null }))]
}

const subjectOf = (trigger: Sweep) => ('date' in trigger ? `date ${trigger.date}` : `segment ${trigger.segment}`)

/** Has those come in whose moment has come since it was looked last; in a pause they wait for its end. */
export function sweepAt(going: Going, at: Micros): void {
  const { world, all } = going
  const { acts } = world
  if (acts.stop !== null && acts.stop.at <= at) return
  const found = comingBy(going, at)
  const coming = found.filter((one) => isOpenAt(acts.turnings, one.at))
  const pause = pauseAt(acts.pauses, at)
  const definition = inForceAt(world, at)
  for (const [place, own] of Map.groupBy(coming, (one) => one.place)) {
    const one = all[place]!
    const wishes = own.map((each) => wishOf(coming.indexOf(each), each))
    if (pause === undefined || at === pause.until) {
      comeLate(interpretedBy(world, definition, one.facts), one.followed, { at, wishes, before: one.happenings })
    } else {
      one.early.push(...wishes.filter((wish) => wish.at <= pause.from))
      one.happenings = inOrder([...one.happenings, ...wishes.filter((wish) => wish.at > pause.from)])
    }
  }
}

/** Without an event: its position is before all that happens. */
const wishOf = (n: number, { at, key }: Coming): Happening => {
  return { at, position: -1 - n, name: null, data: null, depth: 0, occurrence: key, isClosed: false }
}

function comingBy(going: Going, at: Micros): Coming[] {
  const coming: Coming[] = []
  for (const one of going.sweeps.toSorted((a, b) => (a.spec < b.spec ? -1 : 1))) {
    const within = { after: one.doneTo, until: one.endsAt ?? at }
    const { trigger } = one
    coming.push(
      ...('date' in trigger
        ? thereAt(going, at).flatMap((place) =>
            datesOf(going.all[place]!, trigger, within).map((of) => ({ ...of, place })),
          )
        : ofSchedule(going, { at, one, trigger, within })),
    )
    one.doneTo = within.until
    if (one.endsAt !== null) going.sweeps = going.sweeps.filter((other) => other !== one)
  }
  return coming
}

/** Who is still somebody of their own. */
const thereAt = ({ world, all }: Going, at: Micros) =>
  [...all.keys()].filter((place) => placeAt(world.acts, place, at + 1) === place)

type Within = { after: Micros; until: Micros }

function datesOf({ facts }: Watched, trigger: DateTrigger & { zone: string }, within: Within) {
  const value = facts.fieldOf(trigger.date, { at: within.until, effects: [] })
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value)) return []
  const own = LocalDate.parse(value.slice(0, 10))
  return momentsOf(facts.zone ?? trigger.zone, trigger.at, within).flatMap(({ date, at }) => {
    const of = date.minusDays(trigger.days)
    const isIt = trigger.repeat === 'yearly' ? of.toString().slice(5) === own.toString().slice(5) : of.equals(own)
    return isIt ? [{ at, key: `${trigger.date} ${of} ${trigger.days}` }] : []
  })
}

type Scheduled = { at: Micros; one: Sweeping; trigger: ScheduleTrigger & { zone: string }; within: Within }

function ofSchedule(going: Going, { at, one, trigger, within }: Scheduled): Coming[] {
  const last = momentsOf(trigger.zone, trigger.schedule.at, within).findLast(({ date }) => isOn(trigger, date))
  if (last === undefined) return []
  const group = going.watching.groups[Number(trigger.segment) - 1]!
  // Of several of one day each is something of its own.
  const hasOthers = going.sweeps.some((other) => {
    const isOfSameSort = other !== one && (other.endsAt === null) === (one.endsAt === null)
    return (
      isOfSameSort &&
      subjectOf(other.trigger) === subjectOf(trigger) &&
      isOn(other.trigger as ScheduleTrigger, last.date)
    )
  })
  const key = `${trigger.segment} ${last.date}${hasOthers ? ` ${trigger.schedule.at}` : ''}`
  return thereAt(going, at)
    .filter((place) => {
      const { person, followed } = going.all[place]!
      return groupHolds(group, standing(person, followed.effects))
    })
    .map((place) => ({ place, at: last.at, key }))
}

const isOn = ({ schedule: { on } }: ScheduleTrigger, date: LocalDate) =>
  on.length === 0 || on.some((day) => date.dayOfWeek().name().toLowerCase().startsWith(day))

/** The dates whose time of day comes in a zone within two moments: what clocks leave out is later, and of two the first counts. */
function momentsOf(zone: string, time: string, { after, until }: Within): { date: LocalDate; at: Micros }[] {
  const found: { date: LocalDate; at: Micros }[] = []
  const [first, end] = [BEGIN, UNTIL].map((micros) =>
    LocalDate.parse(new Date(micros / 1_000).toISOString().slice(0, 10)),
  )
  for (let date = first!.minusDays(2); !date.isAfter(end!); date = date.plusDays(1)) {
    const local = ZonedDateTime.of(date.atTime(LocalTime.parse(time)), ZoneId.of(zone))
    const at = local.toInstant().toEpochMilli() * 1_000
    if (at > after && at <= until) found.push({ date, at })
  }
  return found
}
