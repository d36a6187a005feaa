import { hash } from 'node:crypto'
import { planChanged, unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import type { AuditEntry } from '../../audit/record-audit.ts'
import { checkMails, type Mail, mailsOf } from '../../automations/definition/check-mail.ts'
import { checkReferences } from '../../automations/definition/check-references.ts'
import { definitionInForce, draftToPublish } from '../../automations/definition/draft-to-publish.ts'
import { readAutomation } from '../../automations/definition/read-automations.ts'
import { storedDefinition } from '../../automations/definition/read-definition.ts'
import { activateAutomation } from '../../automations/definition/steer-automation.ts'
import { renderFor } from '../../broadcasts/preflight/send-test.ts'
import { shownSender } from '../../sending/judge-sender.ts'
import { sampleContact } from '../../templates/sample-contact.ts'
import { CONTENT_DRIFT } from '../plan-drift.ts'
import type { Act, FrozenPlan, PlanDeps } from './act.ts'
import { rulesWithin } from './rules-within.ts'

/** Mails of an automation that are rendered for whoever decides. */
const MAILS_SHOWN_MAX = 20

type Key = { workspaceId: string; id: string }

/** The draft of an automation is published, and its entry opened. */
export const automationAct: Act = {
  needs: 'automations:activate',
  names: ['automationId'],
  mayWait: false,
  freeze: (deps, { workspaceId, target }) => freezeAutomation(deps, { workspaceId, id: target.automationId! }),
  async run(deps, acting, { target, requireSame }) {
    const key = { workspaceId: acting.workspaceId, id: target.automationId! }
    const now = await freezeAutomation(deps, key)
    requireSame(now)
    const activating = {
      ...acting,
      // A draft that is saved while it is published would come into force in place of the one that was looked at, and so would other
      // rules of its segments, or another sender.
      async onRecorded(tx: Transaction, entry: AuditEntry) {
        const text = await definitionInForce(tx, key)
        if (text === undefined) throw planChanged(CONTENT_DRIFT)
        const { contentHash } = await contentOf(tx, deps, { workspaceId: key.workspaceId, text, held: true })
        if (!contentHash.equals(now.contentHash)) throw planChanged(CONTENT_DRIFT)
        await acting.onRecorded?.(tx, entry)
      },
    }
    await activateAutomation(deps, activating, { id: key.id })
  },
}

/**
 * Everything of an automation that somebody decides on, with a hash of it all: its steps and mails in their versions, the sender that
 * readers see, and the rules of its segments. `held`: nobody changes these rules before the transaction ends.
 */
async function contentOf(
  tx: Transaction,
  deps: PlanDeps,
  { workspaceId, text, held = false }: { workspaceId: string; text: string; held?: boolean },
) {
  const planned = storedDefinition(text)
  const { segmentIds } = await checkReferences(tx, workspaceId, planned)
  const sender = await shownSender(tx, deps, { workspaceId, ...planned.sender })
  const rules = [...(await rulesWithin(tx, workspaceId, { ids: segmentIds, held })).values()]
  const { fromName, fromEmail, integrationId } = sender
  const all = JSON.stringify([text, fromName, fromEmail, integrationId, ...rules])
  return { planned, sender, rules, contentHash: hash('sha256', all, 'buffer') }
}

async function freezeAutomation(deps: PlanDeps, key: Key): Promise<FrozenPlan> {
  const { workspaceId } = key
  const { name, status } = await readAutomation(deps.sql, key)
  const { definition, mails, content } = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const { text, isNew } = await draftToPublish(tx, key)
    if (!isNew && status === 'active') throw wrongStatus('It is active, and its draft is in force.')
    const content = await contentOf(tx, deps, { workspaceId, text })
    return { definition: text, mails: await mailsOf(tx, workspaceId, content.planned), content }
  })
  const { planned, sender, rules, contentHash } = content
  const faults = await checkMails(deps.compiled, mails, planned)
  if (faults.length > 0) throw unprocessable(faults)
  const { fromName, fromEmail } = sender
  return {
    ...{ contentHash, recipientsCount: 0 },
    plan: {
      ...{ name, subject: mails[0]?.source.subject ?? '', fromName, fromEmail, topicId: null },
      ...{ segments: rules, excludedSegments: [], sendCount: null, people: [] },
      warnings:
        mails.length > MAILS_SHOWN_MAX
          ? [`It has ${mails.length} mails, and the first ${MAILS_SHOWN_MAX} are shown.`]
          : [],
      preview: null,
      mails: await rendered(deps, workspaceId, mails.slice(0, MAILS_SHOWN_MAX)),
      definition,
    },
  }
}

async function rendered(deps: PlanDeps, workspaceId: string, mails: readonly Mail[]) {
  const person = await sampleContact(deps.sql, workspaceId)
  const shown = []
  for (const { node, source } of mails) {
    const { subject, html, text } = await renderFor(deps, source, { workspaceId, person })
    shown.push({ node, subject, html, text })
  }
  return shown
}
