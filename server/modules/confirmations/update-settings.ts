import type pg from 'pg'
import { unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { timeZoneNamed } from '../../platform/time-zone.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { RELEASE_HELD_MESSAGES } from '../sending/restraint/release-held-messages.ts'
import { GRANDFATHER_CONTACTS } from './grandfather-contacts.ts'
import type { SendingSettingsChange } from './schemas.ts'
import { type SendingSettings, sendingSettingsOf } from './sending-settings.ts'

export type SettingsDeps = { sql: pg.Pool }

export function readSettings({ sql }: Pick<SettingsDeps, 'sql'>, workspaceId: string): Promise<SendingSettings> {
  return inTransaction(sql, workspaceId, (tx) => sendingSettingsOf(tx, workspaceId))
}

/**
 * Changes how a workspace sends: absent stays, null clears. A contact that is there when double opt-in is switched on counts as
 * having agreed, by the job `grandfather_contacts`. A change that changes nothing leaves no trace. Throws 412 when
 * `ifMatch` names an older state.
 */
export async function updateSettings(
  deps: SettingsDeps,
  caller: Caller,
  { change, ifMatch }: { change: SendingSettingsChange; ifMatch: string | undefined },
): Promise<SendingSettings> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await lockSettings(tx, workspaceId)
    const before = await sendingSettingsOf(tx, workspaceId)
    requireMatch(ifMatch, before)
    const { updatedAt: _, ...wanted } = { ...before, ...change, ...quietHoursIn(change), ...frequencyCapIn(change) }
    const diff = diffOf(logged(before), wanted)
    if (Object.keys(diff).length === 0) return before
    const written = await writeSettings(tx, workspaceId, wanted)
    const target = { type: 'sending_settings', id: workspaceId, name: null }
    await recordAudit(tx, caller, { action: 'sending_settings.update', target, diff })
    if ('quietHours' in diff || 'frequencyCap' in diff) await enqueue(tx, RELEASE_HELD_MESSAGES, { workspaceId })
    if (wanted.doubleOptIn && !before.doubleOptIn) await grandfather(tx, workspaceId, written.updatedAt!)
    return written
  })
}

/** Throws 422 for hours that are none, or a zone that there is not. */
function quietHoursIn({ quietHours }: SendingSettingsChange): Pick<SendingSettings, 'quietHours'> | object {
  if (quietHours === undefined || quietHours === null) return {}
  const { from, until } = quietHours
  if (from === until)
    throw unprocessable([{ pointer: '/quietHours/until', detail: 'must be another time than `from`' }])
  const zone = timeZoneNamed(quietHours.zone.trim())
  if (zone === undefined)
    throw unprocessable([{ pointer: '/quietHours/zone', detail: 'must be a time zone, such as Europe/Berlin' }])
  return { quietHours: { from, until, zone } }
}

/** In one order of its fields, whatever the body's: the same is no change. */
function frequencyCapIn({ frequencyCap }: SendingSettingsChange): Pick<SendingSettings, 'frequencyCap'> | object {
  if (frequencyCap === undefined || frequencyCap === null) return {}
  const { messages, days, waitHours } = frequencyCap
  return { frequencyCap: { messages, days, waitHours } }
}

function logged({ updatedAt: _, ...settings }: SendingSettings) {
  return settings
}

/** Changes take turns, also while there is no row to lock. */
async function lockSettings(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'lock_sending_settings',
    text: `select pg_advisory_xact_lock(hashtextextended('sending_settings', $1))`,
    values: [workspaceId],
  })
}

async function writeSettings(
  tx: Transaction,
  workspaceId: string,
  settings: Omit<SendingSettings, 'updatedAt'>,
): Promise<SendingSettings> {
  const { doubleOptIn, trackOpens, trackClicks, postalAddress, quietHours, frequencyCap } = settings
  await tx.query({
    name: 'write_sending_settings',
    text: `insert into sending_settings (workspace_id, double_opt_in, track_opens, track_clicks, postal_address, quiet_from,
        quiet_until, quiet_zone, cap_messages, cap_days, cap_wait_hours)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      on conflict (workspace_id) do update set double_opt_in = excluded.double_opt_in, track_opens = excluded.track_opens,
        track_clicks = excluded.track_clicks, postal_address = excluded.postal_address,
        quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, quiet_zone = excluded.quiet_zone,
        cap_messages = excluded.cap_messages, cap_days = excluded.cap_days, cap_wait_hours = excluded.cap_wait_hours,
        updated_at = now()`,
    values: [
      ...[workspaceId, doubleOptIn, trackOpens, trackClicks, postalAddress],
      ...[quietHours?.from ?? null, quietHours?.until ?? null, quietHours?.zone ?? null],
      ...[frequencyCap?.messages ?? null, frequencyCap?.days ?? null, frequencyCap?.waitHours ?? null],
    ],
  })
  return sendingSettingsOf(tx, workspaceId)
}

function grandfather(tx: Transaction, workspaceId: string, createdBefore: string): Promise<void> {
  return enqueue(tx, GRANDFATHER_CONTACTS, { workspaceId, createdBefore })
}
