import { tooManyRequests } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { type AuditEntry, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { auditedIntegration } from './audited-integration.ts'
import { CHECK_FAILURES } from './check-failures.ts'
import { type CheckDeps, type CheckResult, checkServer } from './check-server.ts'
import { type IntegrationDeps, requireReachable } from './integration-deps.ts'
import { settingsOf } from './integration-of.ts'
import { type OpenedSecrets, openSecrets, readSecrets } from './integration-secrets.ts'
import { readSettings, type Settings } from './integration-settings.ts'
import { fromVerifiedStatement } from './queries.ts'
import { readIntegration } from './read-integrations.ts'
import type { ConfigChange } from './schemas.ts'

/** Checks under way at once, in this process and of one workspace: each holds a connection for seconds. */
export const CHECKS_MAX = 32
export const WORKSPACE_CHECKS_MAX = 4
const RETRY_AFTER_SECONDS = 5

export type CheckPlaces = { of(workspaceId: string): { enter(): boolean; leave(): void } }
export type TestDeps = IntegrationDeps & CheckDeps & { places: CheckPlaces }

/** Counts the checks under way. */
export function createCheckPlaces(): CheckPlaces {
  const taken = new Map<string, number>()
  let total = 0
  return {
    of: (workspaceId) => ({
      enter() {
        const own = taken.get(workspaceId) ?? 0
        if (total >= CHECKS_MAX || own >= WORKSPACE_CHECKS_MAX) return false
        total += 1
        taken.set(workspaceId, own + 1)
        return true
      },
      leave() {
        total -= 1
        const own = taken.get(workspaceId) ?? 0
        if (own <= 1) taken.delete(workspaceId)
        else taken.set(workspaceId, own - 1)
      },
    }),
  }
}

/** Connects to the server of an integration, enabled or not, and logs in as sending would. Throws 404, and 429 beyond the places. */
export async function testIntegration(deps: TestDeps, caller: Caller, id: string): Promise<CheckResult> {
  const key = { workspaceId: caller.workspaceId, id }
  const row = await readIntegration(deps.sql, key)
  const secrets = openSecrets(deps.secrets, key, row)
  return tested(deps, caller, { settings: settingsOf(row), secrets, target: auditedIntegration(row) })
}

/** The same for a config that is not kept. Throws 400 and 422 for one that could not be. */
export async function testConfig(deps: TestDeps, caller: Caller, config: ConfigChange): Promise<CheckResult> {
  const settings = readSettings(config)
  const given = readSecrets(config, settings)
  await requireReachable(deps, settings)
  const { password = null, accessKeyId = null, secretAccessKey = null } = given
  const target = { type: 'integration', id: null, name: null }
  return tested(deps, caller, { settings, secrets: { password, accessKeyId, secretAccessKey }, target })
}

type Subject = { settings: Settings; secrets: OpenedSecrets; target: AuditEntry['target'] }

async function tested(deps: TestDeps, caller: Caller, { settings, secrets, target }: Subject): Promise<CheckResult> {
  const place = deps.places.of(caller.workspaceId)
  if (!place.enter()) throw tooManyRequests(RETRY_AFTER_SECONDS)
  const checked = await checkServer(deps, settings, secrets).finally(() => place.leave())
  const result = checked.ok ? await withSender(deps, caller.workspaceId, { settings, checked }) : checked
  await inTransaction(deps.sql, caller.workspaceId, (tx) =>
    recordAudit(tx, caller, {
      action: 'integration.test',
      target,
      diff: { result: { from: null, to: result.code } },
    }),
  )
  return result
}

/** A server that takes everything helps nobody whose from address cannot be signed. */
async function withSender(
  deps: Pick<TestDeps, 'sql'>,
  workspaceId: string,
  { settings, checked }: { settings: Settings; checked: CheckResult },
): Promise<CheckResult> {
  const [found] = await queryInScope(deps.sql, workspaceId, fromVerifiedStatement(workspaceId, settings))
  if (found?.verified) return checked
  const [phase, message] = CHECK_FAILURES.from_unverified
  return { ...checked, ok: false, code: 'from_unverified', phase, message }
}
