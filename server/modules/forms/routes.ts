import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { embedForm } from './embed-form.ts'
import { formStats } from './form-stats.ts'
import { listSubmissions } from './list-submissions.ts'
import { createForm, deleteForm, type FormDeps, listForms, listVersions, readForm, updateForm } from './manage-forms.ts'
import { previewForm } from './preview-form.ts'
import {
  Form,
  FormBody,
  FormChange,
  FormEmbed,
  FormPreview,
  FormStats,
  FormSubmission,
  FormSubmissionBody,
  FormSubmitted,
  FormVersion,
  statsParameters,
  submissionFilters,
} from './schemas.ts'
import { submitOwn } from './submit-own.ts'
import type { TakeDeps } from './take-submission.ts'

/** The forms of a workspace. */
export function formRoutes(app: HttpApp, deps: FormDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/forms', family: 'Forms' })

  routes.get('', 'list', {
    needs: 'forms:read',
    summary: 'List forms',
    description: 'Forms by which people sign up by themselves. Ascending by id.',
    query: PageQuery,
    answers: { 200: pageOf(Form) },
    handle: async (request) => {
      const { items, total } = await listForms(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'forms:write',
    summary: 'Create a form',
    description:
      'It works at once, at its `url` and wherever its HTML is put. Without `fields` it asks for the address alone.',
    body: FormBody,
    answers: { 201: Form },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createForm(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'forms:read',
    summary: 'Read a form',
    answers: { 200: Form },
    etag: true,
    handle: async (request) => readForm(deps, request.caller.workspaceId, request.params.id),
  })

  routes.patch('/:id', 'update', {
    needs: 'forms:write',
    summary: 'Change a form',
    description: 'Absent fields stay. Makes one more version; who has filled in an earlier one has agreed to that one.',
    body: FormChange,
    answers: { 200: Form },
    problems: [412, 422],
    etag: true,
    handle: async (request) =>
      updateForm(deps, request.caller, {
        ...{ id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) },
      }),
  })

  routes.delete('/:id', 'delete', {
    needs: 'forms:write',
    summary: 'Delete a form',
    description:
      'With its versions and submissions. Who has confirmed stays a contact, with the consent and its history.',
    answers: { 204: nothing() },
    problems: [412],
    handle: async (request) => {
      await deleteForm(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}

/** Forms as they were, and as they are put elsewhere. */
export function versionRoutes(app: HttpApp, deps: FormDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/forms/:id', family: 'Forms' })

  routes.get('/versions', 'listVersions', {
    needs: 'forms:read',
    summary: 'List the versions of a form',
    description: 'What it was, the wording of the consent above all. The newest first.',
    query: PageQuery,
    answers: { 200: pageOf(FormVersion) },
    handle: async (request) => {
      const asked = { id: request.params.id, ...request.query }
      const { items, total } = await listVersions(deps, request.caller.workspaceId, asked)
      return page(request.query, total, items)
    },
  })

  routes.get('/embed', 'embed', {
    needs: 'forms:read',
    summary: 'Read the HTML of a form',
    description: 'For a page of your own. Copy it again after a change of the fields or the wording.',
    answers: { 200: FormEmbed },
    handle: async (request) => embedForm(deps, request.caller.workspaceId, request.params.id),
  })

  routes.post('/preview', 'preview', {
    needs: 'forms:read',
    summary: 'See a form as its readers would',
    description: 'With a change that is not saved. Nothing is kept, and nobody can sign up by it.',
    body: FormChange,
    answers: { 200: FormPreview },
    problems: [422],
    handle: async (request) => {
      const asked = { id: request.params.id, change: request.body }
      return previewForm(deps, request.caller.workspaceId, asked)
    },
  })
}

/** Everything that comes in by forms. */
export function submissionRoutes(app: HttpApp, deps: FormDeps & TakeDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/forms/:id', family: 'Forms' })

  routes.get('/submissions', 'listSubmissions', {
    needs: 'forms:read',
    summary: 'List the submissions of a form',
    description: 'The newest first. None names an address: most are of people who have agreed to nothing yet.',
    query: closed({ ...pageParameters, ...submissionFilters }),
    answers: { 200: pageOf(FormSubmission) },
    handle: async (request) => {
      const asked = { id: request.params.id, ...request.query }
      const { items, total } = await listSubmissions(deps, request.caller.workspaceId, asked)
      return page(request.query, total, items)
    },
  })

  routes.post('/submissions', 'submit', {
    needs: 'forms:write',
    summary: 'Fill in a form',
    description:
      'On behalf of somebody, from your own server: they are asked by mail, and become a contact when they confirm. The ' +
      'answer is the same for every address.',
    body: FormSubmissionBody,
    answers: { 202: FormSubmitted },
    problems: [409],
    handle: async (request) => {
      await submitOwn(deps, request.caller, { id: request.params.id, given: request.body.fields })
      return { status: 'check-your-mail' as const }
    },
  })

  routes.get('/stats', 'stats', {
    needs: 'forms:read',
    summary: 'Read how a form fares',
    query: closed(statsParameters),
    answers: { 200: FormStats },
    handle: async (request) =>
      formStats(deps, request.caller.workspaceId, { id: request.params.id, days: request.query.days }),
  })
}
