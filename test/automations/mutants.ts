/*
 * Ways in which the engine could be wrong and look right: each takes away one of the rules after which no event is missed and no
 * timer decides too early (docs/adr/0015). The model test has to find every one of them (`npm run test:mutants`).
 */

/** A change of one text in one file, which is there once. */
export type Change = { file: string; from: string; to: string }
export type Mutant = { name: string; changes: readonly Change[] }

const RUN = 'server/modules/automations/run'
const ENTRY = 'server/modules/automations/entry'

export const MUTANTS: readonly Mutant[] = [
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
    name: 'older event of the past over a newer one',
    changes: [
      {
        file: 'server/modules/automations/entry/decide-entries.ts',
        from: '    isBackfilled(decision.wanting) &&',
        to: '    decision.wanting.position === "" &&',
      },
    ],
  },
  {
    name: 'notice to nobody',
    changes: [
      {
        file: `${RUN}/note-notices.ts`,
        from: 'if (members > 0) notices.push',
        to: 'notices.push',
      },
    ],
  },
  {
    name: 'time zone of the beginning kept',
    changes: [
      {
        file: 'server/modules/automations/entry/enroll-automations.ts',
        from: '    if (zones) await wakeRuns(tx, await putZoneSignals(tx, range))\n',
        to: '',
      },
    ],
  },
  {
    name: 'end before somebody had the time zone',
    changes: [{ file: `${RUN}/hear.ts`, from: '  if (end < since) run.putOff += since - end\n', to: '' }],
  },
  {
    name: 'both runs of a merged contact kept',
    changes: [
      {
        file: `${RUN}/move-runs.ts`,
        from: 'select id from of_both where place > 1)',
        to: 'select id from of_both where place > 1000)',
      },
    ],
  },
  {
    name: 'run that is less far kept by a merge',
    changes: [{ file: `${RUN}/move-runs.ts`, from: 'order by r.visit desc, ', to: 'order by r.visit, ' }],
  },
  {
    name: 'rest not put off by a pause',
    changes: [{ file: `${RUN}/put-off.ts`, from: '(due > pausedAt ? due + took : due)', to: 'due' }],
  },
  {
    name: 'entry of a pause before its end',
    changes: [
      {
        file: `${RUN}/enter.ts`,
        from: 'const isPutOff = resumedAt !== null && resumedAt > enteredAt',
        to: 'const isPutOff = resumedAt !== null && enteredAt < 0n',
      },
    ],
  },
  {
    name: 'mail sent that a pause has made too late',
    changes: [{ file: `${RUN}/plan-mails.ts`, from: '[mailFrom, run.mailFrom].some(', to: '[run.mailFrom].some(' }],
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
    name: 'move of a version that was not the last of its pause',
    changes: [{ file: `${RUN}/change-version.ts`, from: " and state <> 'revoked'", to: '' }],
  },
  {
    name: 'first look at a segment told of',
    changes: [
      {
        file: 'server/modules/automations/entry/watch-segment.ts',
        from: 'const isSilent = rules !== look.rules',
        to: 'const isSilent = look.rules === null',
      },
    ],
  },
  {
    name: 'segment of a merged contact forgotten',
    changes: [
      {
        file: `${RUN}/move-runs.ts`,
        from: 'from segment_members where workspace_id = $1 and contact_id = $2',
        to: 'from segment_members where workspace_id = $1 and contact_id = $2 and $2 < 0',
      },
    ],
  },
  {
    name: 'segment watched on that nobody listens to',
    changes: [
      {
        file: 'server/modules/automations/entry/watch-segment.ts',
        from: 'if (!watch.isWanted) return forget(pool, key, stop)',
        to: 'if (!watch) return forget(pool, key, stop)',
      },
    ],
  },
  {
    name: 'parked run that has not looked',
    changes: [
      {
        file: `${RUN}/walk.ts`,
        from: 'run.visit === trail.stopBefore && mustLook(context, run)',
        to: 'run.visit === trail.stopBefore && mustLook(context, run) && run.visit < 0',
      },
    ],
  },
  {
    name: 'retry that goes past the node',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: 'case when $5 then r.visit',
        to: 'case when $5 or r.visit > 2 then r.visit',
      },
    ],
  },
  {
    name: 'exit of parked runs that leaves them',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: "and ($3 is not null or r.state = 'parked') order by r.id limit",
        to: "and ($3 is not null or r.state = 'waiting') order by r.id limit",
      },
    ],
  },
  {
    name: 'sweep that was done and is done again',
    changes: [
      {
        file: `${ENTRY}/sweep-trigger.ts`,
        from: 'set swept_to = $4, error = null',
        to: 'set swept_to = least(swept_to, $4::timestamptz), error = null',
      },
    ],
  },
  {
    name: 'sweep that an edited date owes',
    changes: [
      {
        file: 'server/modules/automations/definition/sweeps.ts',
        from: "coalesce(spec::jsonb ->> 'date' = any ($4::text[]), false)",
        to: "coalesce(spec::jsonb ->> 'date' = any ($4::text[]) and false, false)",
      },
    ],
  },
  {
    name: 'sweep by the zone of the automation',
    changes: [
      {
        file: `${ENTRY}/sweep-trigger.ts`,
        from: 'coalesce(c.time_zone, $4) as zone',
        to: 'coalesce($4, c.time_zone) as zone',
      },
    ],
  },
  {
    name: 'sweep that is late and begins late',
    changes: [
      {
        file: `${ENTRY}/sweep-trigger.ts`,
        from: 'array_agg(id order by id), at::timestamptz, key, true from',
        to: 'array_agg(id order by id), greatest(at::timestamptz, postroom_clock()), key, true from',
      },
    ],
  },
  {
    name: 'sweep that finds somebody twice, by the mode',
    changes: [
      {
        file: `${ENTRY}/decide-entries.ts`,
        from: 'if (entered && isOfOccurrence(',
        to: 'if (entered && decision.wanting.depth < 0 && isOfOccurrence(',
      },
    ],
  },
  {
    name: 'halt that a version does not lift',
    changes: [
      {
        file: 'server/modules/automations/definition/queries.ts',
        from: 'when $4::int is null then a.halted_nodes else',
        to: 'when $4::int is null or $4 > 0 then a.halted_nodes else',
      },
    ],
  },
  {
    name: 'halt whose people do not look',
    changes: [
      { file: `${RUN}/walk.ts`, from: '  if (mustLook(context, run)) run.timer', to: '  if (run.visit < 0) run.timer' },
    ],
  },
  {
    name: 'end put off as it is by now',
    changes: [
      {
        file: `${RUN}/put-off.ts`,
        from: 'if (timer === undefined) return end',
        to: 'if (timer === undefined || asks !== undefined) return end',
      },
    ],
  },
  {
    name: 'closed entry that a pause outlasts',
    changes: [
      {
        file: `${ENTRY}/enroll-automations.ts`,
        from: "closedAt('e.tx')",
        to: "'false'",
      },
    ],
  },
  {
    name: 'closed entry that lets those in who come by hand',
    changes: [
      {
        file: `${ENTRY}/decide-entries.ts`,
        from: 'one.way === CLOSED_WAY || late.has(one.position)',
        to: 'one.way === CLOSED_WAY',
      },
    ],
  },
  {
    name: 'leave that forgets who is to come in',
    changes: [
      { file: `${RUN}/take-stretch.ts`, from: 'if (runId !== ALL_RUNS) return', to: "if (runId !== '') return" },
    ],
  },
  {
    name: 'event of a step that no automation has led to',
    changes: [
      { file: `${RUN}/reach-out.ts`, from: 'JSON.rawJSON(id), depth: depth + 1 }', to: 'JSON.rawJSON(id), depth }' },
    ],
  },
  {
    name: 'refusal of a merged contact forgotten',
    changes: [
      {
        file: `${RUN}/move-runs.ts`,
        from: '(2, excluded.refused_at, excluded.refused_event_id, excluded.refusal)) l(n, at, event, why)',
        to: '(2, null::timestamptz, null::bigint, null::text)) l(n, at, event, why)',
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
  {
    name: 'retry at a node that lifts all halts',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: 'then array_remove(halted_nodes, $4)',
        to: "then array_remove('{}'::text[], $4)",
      },
    ],
  },
  {
    name: 'retry at a node of those at others',
    changes: [
      {
        file: `${RUN}/steer-runs.ts`,
        from: 'and ($4::text is null or r.node = $4)`',
        to: "and ($4::text is null or r.node <> '')`",
      },
    ],
  },
]
