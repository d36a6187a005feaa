import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { planChanged, unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { Problem } from '../../../platform/problem.ts'
import { maskAddress } from '../../../platform/untrusted-text.ts'
import type { AuditEntry } from '../../audit/record-audit.ts'
import { renderFor } from '../../broadcasts/preflight/send-test.ts'
import { contactsWithIds } from '../../contacts/contacts-with-ids.ts'
import { sendEmail } from '../../emails/send-emails.ts'
import { type ShownSender, shownSender } from '../../sending/judge-sender.ts'
import { readTemplate } from '../../templates/read-templates.ts'
import { templateVersions } from '../../templates/template-sources.ts'
import type { Act, FrozenPlan, PlanDeps, Target } from './act.ts'

type Frozen = FrozenPlan & { rests: Rests; destination: string }
/** Facts of whatever else may change beside the decision: the version in force, the address, and the sender that its reader sees. */
type Rests = { version: number | undefined; email: string | null | undefined; sender: ShownSender }

/** A template that is mailed to one contact, as transactional mail. */
export const emailAct: Act = {
  needs: 'emails:send',
  names: ['templateId', 'contactId'],
  mayWait: true,
  freeze: freezeEmail,
  async run(deps, acting, { target, scheduledAt, requireSame }) {
    const { workspaceId } = acting
    const now = await freezeEmail(deps, { workspaceId, target })
    requireSame(now)
    const sending = {
      ...acting,
      // A version that comes into force while it is queued would be sent in place of the one that was looked at, and so would a sender.
      async onRecorded(tx: Transaction, entry: AuditEntry) {
        const rests = await restsOn(tx, deps, { workspaceId, target })
        if (!isDeepStrictEqual(rests, now.rests))
          throw planChanged('Its template, its sender or the address has changed.')
        await acting.onRecorded?.(tx, entry)
      },
    }
    const { sql, compiled } = deps
    // Of whom it was approved: an integration may be from somebody else by the time it goes out.
    const { fromEmail, fromName } = now.plan
    await sendEmail({ sql, compiled, sender: deps }, sending, {
      destination: now.destination,
      templateId: target.templateId,
      ...{ fromEmail, fromName, scheduledAt },
    })
  },
}

/** A template has none: such mail is from whom its integration says. */
const NO_OWN_SENDER = { integrationId: null, fromEmail: null, fromName: null }

async function restsOn(
  tx: Transaction,
  deps: PlanDeps,
  { workspaceId, target }: { workspaceId: string; target: Target },
): Promise<Rests> {
  const templateId = target.templateId!
  const [contact] = await contactsWithIds(tx, workspaceId, [target.contactId!])
  return {
    version: (await templateVersions(tx, workspaceId, [templateId])).get(templateId),
    email: contact?.email,
    sender: await shownSender(tx, deps, { workspaceId, ...NO_OWN_SENDER }),
  }
}

async function freezeEmail(
  deps: PlanDeps,
  { workspaceId, target }: { workspaceId: string; target: Target },
): Promise<Frozen> {
  const [template, { people, sender }] = await Promise.all([
    readTemplate(deps.sql, workspaceId, target.templateId!).catch(refuseUnknown),
    inTransaction(deps.sql, workspaceId, async (tx) => ({
      people: await contactsWithIds(tx, workspaceId, [target.contactId!]),
      sender: await shownSender(tx, deps, { workspaceId, ...NO_OWN_SENDER }),
    })),
  ])
  const [contact] = people
  if (!contact) throw unprocessable([{ pointer: '/contactId', detail: 'is not a contact of this workspace' }])
  const { email } = contact
  const { fromName, fromEmail, integrationId } = sender
  const rests = { version: template.version, email, sender }
  if (email === null) throw unprocessable([{ pointer: '/contactId', detail: 'has no address' }])
  const { subject, html, text } = await renderFor(deps, template, { workspaceId, person: contact })
  return {
    ...{ recipientsCount: 1, rests, destination: email },
    contentHash: hash(
      'sha256',
      JSON.stringify([
        template.id,
        template.version,
        contact.id,
        email,
        subject,
        html,
        text,
        fromName,
        fromEmail,
        integrationId,
      ]),
      'buffer',
    ),
    plan: {
      ...{ name: template.name, subject: template.subject, fromName, fromEmail, topicId: null },
      ...{ segments: [], excludedSegments: [], sendCount: null, people: [maskAddress(email)], warnings: [] },
      ...{ preview: { subject, html, text }, mails: [], definition: null },
    },
  }
}

function refuseUnknown(error: unknown): never {
  if (!(error instanceof Problem) || error.statusCode !== 404) throw error
  throw unprocessable([{ pointer: '/templateId', detail: 'is not a template of this workspace' }])
}
