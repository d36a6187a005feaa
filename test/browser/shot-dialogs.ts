import type { Page } from 'playwright-core'
import { onRow, type Shot } from './shot-states.ts'

/** Where a dialog stands: the row of its page, the entry of which menu leads to it, or the one act of its header. */
type Where = { row: string; entry?: string | RegExp; menu?: string | RegExp; button?: string | RegExp }

const DIALOGS: Record<string, Where> = {
  'contact-erase': { row: 'contact', entry: 'Erase this person' },
  'contact-unsubscribe': { row: 'contact', entry: 'Unsubscribe' },
  'contact-merge': { row: 'contact', entry: 'Merge another contact in' },
  'segment-delete': { row: 'segment', entry: 'Delete' },
  'webhook-new': { row: 'webhooks' },
  'webhook-change': { row: 'webhook', entry: 'Change' },
  'webhook-recover': { row: 'webhook', entry: 'Recover since …' },
  'webhook-rotate': { row: 'webhook', entry: 'Rotate secret' },
  'webhook-delete': { row: 'webhook', entry: 'Delete' },
  'domain-new': { row: 'domains' },
  'domain-rotate': { row: 'domain', entry: 'Rotate the DKIM key' },
  'domain-delete': { row: 'domain', entry: 'Remove domain' },
  'integration-delete': { row: 'integration', entry: 'Delete' },
  'tag-new': { row: 'tags' },
  'tag-delete': { row: 'tags', menu: /^More for /, entry: 'Delete' },
  'topic-new': { row: 'topics' },
  'field-new': { row: 'fields' },
  'field-retype': { row: 'fields', menu: /^More for /, entry: 'Change the type' },
  'suppression-new': { row: 'suppressions' },
  'unsubscribe-new': { row: 'unsubscribes', button: 'Unsubscribe an address' },
  'suppression-import': { row: 'suppressions', entry: 'Import a list' },
  invite: { row: 'team' },
  'token-revoke': { row: 'tokens', button: /^Revoke/ },
  'workspace-new': { row: 'workspaces' },
  'form-new': { row: 'forms' },
  'form-delete': { row: 'form', entry: 'Delete' },
  'tracker-new': { row: 'trackers' },
  'tracker-change': { row: 'tracker', button: 'Change' },
  'tracker-rotate': { row: 'tracker', entry: 'Rotate key' },
  'second-factor': { row: 'account', button: 'Switch on' },
  'audit-verify': { row: 'audit', button: /^Verify/ },
  'broadcast-delete': { row: 'broadcast-compose', entry: 'Delete' },
  'template-delete': { row: 'template', entry: 'Delete' },
}

/** Every dialog that asks or takes something and is not among the states. */
export const DIALOG_SHOTS: readonly Shot[] = Object.entries(DIALOGS).map(([name, where]) => ({
  name: `dialog-${name}`,
  path: onRow(where.row),
  act: (page) => openDialog(page, where),
}))

async function openDialog(page: Page, { entry, menu = 'More', button }: Where): Promise<void> {
  const named = (name: string | RegExp) => page.locator('main').getByRole('button', { name, exact: true }).first()
  if (entry !== undefined) {
    await named(menu).click()
    await page.getByRole('menuitem', { name: entry, exact: true }).click()
  } else if (button !== undefined) await named(button).click()
  else await page.locator('main header [data-kind="primary"]').first().click()
  await page.getByRole('dialog').waitFor()
}

/** What those see who may only look: pages whose acts are others', and one that their role does not include. */
const LOOKED_AT = ['contacts', 'contact', 'segment', 'form', 'webhooks', 'webhook', 'domain', 'integrations', 'team']
const ALSO_LOOKED_AT = [
  'tokens',
  'settings',
  'template',
  'suppressions',
  'broadcast-compose',
  'imports',
  'system',
  'audit',
]

export const VIEWER_SHOTS: readonly Shot[] = [...LOOKED_AT, ...ALSO_LOOKED_AT].map((row) => ({
  name: `viewer-${row}`,
  as: 'viewer',
  path: onRow(row),
}))
