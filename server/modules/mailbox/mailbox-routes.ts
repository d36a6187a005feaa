import { notFound } from '../../catalogue/problems.ts'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { overSignal } from '../../platform/http/over-signal.ts'
import { type Door, routesOf } from '../door.ts'
import { CLEAR_DEADLINE_MS, clearMails, deleteCaughtMail } from './clear-mails.ts'
import {
  CaughtMail,
  CaughtMailDetail,
  CaughtMailList,
  ClearedMailbox,
  MailFilter,
  MailListQuery,
  MailWaitQuery,
  WAIT_SECONDS_MAX,
} from './mailbox-schemas.ts'
import { OPEN_DEADLINE_MS } from './read-mail.ts'
import { type MailDeps, openCaughtMail, searchMails, waitForMail } from './search-mails.ts'

const WAIT_DEADLINE_MS = (WAIT_SECONDS_MAX + 2) * 1_000

/** The mailbox for programs: tests that send something and look what arrived. */
export function mailboxApiRoutes(app: HttpApp, deps: MailDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/mailbox', family: 'Mailbox' })

  routes.get('', 'list', {
    needs: 'emails:send',
    summary: 'List the mail in the mailbox',
    description: 'What was sent through the built-in mail server, newest first.',
    query: MailListQuery,
    answers: { 200: CaughtMailList },
    handle: async (request) => searchMails(deps, request.caller.workspaceId, request.query),
  })

  routes.get('/wait', 'wait', {
    needs: 'emails:send',
    summary: 'Wait for a mail',
    description:
      'Answers as soon as a mail that fits is there, with the newest; 404 when none is within `timeoutSeconds`. Mail that ' +
      'arrived before counts: give an address of its own to each test, or `after`.',
    query: MailWaitQuery,
    answers: { 200: CaughtMail },
    problems: [404],
    deadlineMs: WAIT_DEADLINE_MS,
    handle: async (request, reply) => {
      const { timeoutSeconds, ...filter } = request.query
      const waiting = { ...filter, timeoutMs: timeoutSeconds * 1_000, signal: overSignal(reply) }
      const mail = await waitForMail(deps, request.caller.workspaceId, waiting)
      if (mail === undefined) throw notFound()
      return mail
    },
  })

  routes.get('/:id', 'get', {
    needs: 'emails:send',
    summary: 'Read a mail of the mailbox',
    description: 'Both its parts, its headers, its links and what is attached, as its receiver would read it.',
    answers: { 200: CaughtMailDetail },
    problems: [422],
    deadlineMs: OPEN_DEADLINE_MS,
    handle: async (request) => openCaughtMail(deps, request.caller.workspaceId, request.params.id),
  })

  routes.delete('/:id', 'delete', {
    needs: 'emails:send',
    summary: 'Delete a mail of the mailbox',
    answers: { 204: nothing() },
    handle: async (request) => deleteCaughtMail(deps, request.caller, request.params.id),
  })

  routes.delete('', 'clear', {
    needs: 'emails:send',
    summary: 'Empty the mailbox',
    description: 'Of all its mail, or of what fits.',
    query: MailFilter,
    answers: { 200: ClearedMailbox },
    deadlineMs: CLEAR_DEADLINE_MS,
    handle: async (request) => ({ deleted: await clearMails(deps, request.caller, request.query) }),
  })
}
