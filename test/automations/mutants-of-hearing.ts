import type { Mutant } from './mutate.ts'

const RUN = 'server/modules/automations/run'
const ENTRY = 'server/modules/automations/entry'

/** Mutants of what is heard of the log, and in which order: looks, exits and goals. */
export const HEARING: readonly Mutant[] = [
  {
    name: 'look left out',
    changes: [
      {
        file: `${RUN}/look.ts`,
        from: 'const candidates = await candidatesOf(context, runs)',
        to: 'const candidates: Candidate[] = (await candidatesOf(context, runs)).slice(0, 0)',
      },
    ],
  },
  {
    name: 'look before commit',
    changes: [
      {
        file: `${RUN}/take-stretch.ts`,
        from: '  if (!state.isPaused) await walk(context, going, trail)\n',
        to: `  if (!state.isPaused) await walk(context, going, trail)
  await look(context, [...touched].filter((run) => run.end === null && run.timer?.looks))\n`,
      },
    ],
  },
  {
    name: 'reading past persist',
    changes: [
      {
        file: 'server/modules/automations/entry/enroll-automations.ts',
        from: "  behind: 'persist',\n",
        to: '',
      },
    ],
  },
  {
    name: 'due without read_through',
    changes: [
      {
        file: 'server/platform/outbox/progress.ts',
        from: 'case when unread.rows = 0 then clock',
        to: 'case when true then clock',
      },
    ],
  },
  {
    name: 'position instead of pair, in the log',
    changes: [
      {
        file: 'server/platform/outbox/range.ts',
        from: `        where (tx, position) > ($1::bigint, $2::bigint) and tx < (select outbox_horizon())
          and (tx, position) <= ($4::bigint, $5::bigint)
        order by tx, position limit $3)`,
        to: `        where position > $2::bigint and $1::bigint is not null
          and ((tx, position) <= ($4::bigint, $5::bigint) or $4::bigint < 9223372036854775807)
        order by position limit $3)`,
      },
      {
        file: 'server/platform/outbox/range.ts',
        from: '(select tx, position from batch order by tx desc, position desc limit 1)',
        to: '(select tx, position from batch order by position desc limit 1)',
      },
      {
        file: 'server/platform/outbox/range.ts',
        from: `outbox where (tx, position) > ($1::bigint, $2::bigint) and (tx, position) <= ($3::bigint, $4::bigint)
  order by tx, position limit $5`,
        to: `outbox where position > $2::bigint and position <= $4::bigint and $1::bigint is not null and $3::bigint is not null
  order by position limit $5`,
      },
    ],
  },
  {
    name: 'position instead of pair, in the clock of a run',
    changes: [
      {
        file: `${RUN}/look.ts`,
        from: '(e.recorded_at, e.id) > (r.at, r.at_position)',
        to: 'e.id > r.at_position',
      },
    ],
  },
  {
    name: 'event of the moment in which somebody was led in',
    changes: [
      {
        file: `${RUN}/enter.ts`,
        from: 'atPosition: isPutOff ? TIMER_POSITION',
        to: 'atPosition: isPutOff || trigger.name === null ? TIMER_POSITION',
      },
    ],
  },
  {
    name: 'goal of a pause forgotten',
    changes: [
      {
        file: 'server/modules/automations/definition/listens.ts',
        from: "kind in ('exit', 'goal')",
        to: "(kind = 'exit' or kind = 'goal' and way = 1)",
      },
    ],
  },
  {
    name: 'exit of a pause done after it',
    changes: [
      {
        file: 'server/modules/automations/definition/listens.ts',
        from: "kind in ('exit', 'goal')",
        to: "kind = 'goal'",
      },
    ],
  },
  {
    name: 'goal without its value',
    changes: [{ file: `${RUN}/hear.ts`, from: '  run.goalValue = value\n', to: '' }],
  },
  {
    name: 'service ended by whoever unsubscribes',
    changes: [
      {
        file: 'server/modules/automations/definition/listens.ts',
        from: "...(mailClass === 'marketing'",
        to: "...(mailClass === 'marketing' || mailClass === 'service'",
      },
    ],
  },
  {
    name: 'unsubscribing from all automations but one',
    changes: [
      {
        file: `${ENTRY}/signals.ts`,
        from: 'unsubscribedFrom(automationId), notExcept:',
        to: 'unsubscribedFrom(automationId), nobody:',
      },
    ],
  },
]
