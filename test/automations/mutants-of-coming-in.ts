import type { Mutant } from './mutate.ts'

const RUN = 'server/modules/automations/run'
const ENTRY = 'server/modules/automations/entry'

/** Mutants of who comes in: events, sweeps, segments and closed entries. */
export const COMING_IN: readonly Mutant[] = [
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
    name: 'past that is still under a merged contact',
    changes: [
      {
        file: 'server/modules/automations/backfill/backfill-queries.ts',
        from: 'where workspace_id = $1 and merged_id = l.contact_id)',
        to: 'where workspace_id = $1 and merged_id = l.contact_id and false)',
      },
    ],
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
    name: 'refusal of a merged contact forgotten',
    changes: [
      {
        file: `${RUN}/move-runs.ts`,
        from: '(2, excluded.refused_at, excluded.refused_event_id, excluded.refusal)) l(n, at, event, why)',
        to: '(2, null::timestamptz, null::bigint, null::text)) l(n, at, event, why)',
      },
    ],
  },
]
