import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  beginBackfill,
  previewBackfill,
  readBackfill,
  revokeBackfill,
} from '../modules/automations/backfill/manage-backfills.ts'
import {
  AS_OF,
  type AsOf,
  BACKFILL_DAYS,
  BACKFILL_DAYS_MAX,
  type Backfill,
} from '../modules/automations/backfill/schemas.ts'
import { missing } from './command-error.ts'
import type { Said } from './said.ts'
import { sayingIn, type WorkspaceContext } from './saying.ts'

type Given = { id: string; days: number; asOf?: AsOf; perMinute?: number; revoke?: true; status?: true }

/** Adds what has past triggers go through the entry of an automation. */
export function addBackfill(command: Command): void {
  sayingIn(
    command
      .option('--days <days>', 'how far back; counted alone without --as-of', wholeTo(BACKFILL_DAYS_MAX), BACKFILL_DAYS)
      .addOption(new Option('--as-of <when>', 'begin: when those who come in begin').choices([...AS_OF]))
      .option('--per-minute <events>', 'how many events go through in a minute', wholeTo(100_000))
      .option('--status', 'tell how far the last one is')
      .option('--revoke', 'end the last one: nobody more comes in by it'),
    backfill,
  )
}

async function backfill({ pools, caller }: WorkspaceContext, given: Given): Promise<Said> {
  const { id, days, asOf, perMinute, revoke, status } = given
  const sql = { sql: pools.sql }
  const key = { workspaceId: caller.workspaceId, automationId: id }
  const unknown = missing(`backfill of automation ${id}`)
  if (status) return told(await readBackfill(sql, key).catch(unknown))
  if (revoke) return told(await revokeBackfill(sql, caller, id).catch(unknown))
  if (asOf !== undefined) {
    const body = { days, asOf, ...(perMinute === undefined ? {} : { perMinute }) }
    return told(await beginBackfill(sql, caller, { id, body }).catch(missing(`automation ${id}`)))
  }
  const preview = await previewBackfill(sql, key, { days }).catch(missing(`automation ${id}`))
  const { events, people, enteredBefore } = preview
  const text = `${events} events of ${people} people in ${days} days; ${enteredBefore} of these people have come in before. To begin: --as-of now, or then`
  return { text, json: preview }
}

function told(last: Backfill): Said {
  const { state, asOf, events, placed, waiting } = last
  return {
    text: `${state}, as of ${asOf}: ${placed} of ${events} events placed, ${waiting} wait for their turn`,
    json: last,
  }
}

const wholeTo = (max: number) => (value: string) => {
  const n = Number(value)
  if (Number.isInteger(n) && n >= 1 && n <= max) return n
  throw new InvalidArgumentError(`A whole number from 1 to ${max}.`)
}
