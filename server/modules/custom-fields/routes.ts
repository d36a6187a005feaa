import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { changeField, declareField, deleteField, type FieldDeps, retypeField } from './manage-fields.ts'
import { listFields, readField, readRetype } from './read-fields.ts'
import {
  CustomField,
  FieldBody,
  FieldChange,
  FieldRetype,
  fieldFilters,
  RetypeBody,
  SiteCustomField,
} from './schemas.ts'

export function customFieldRoutes(app: HttpApp, deps: FieldDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/custom-fields', family: 'CustomFields', tag: 'Custom fields' })

  routes.get('', 'list', {
    needs: 'custom_fields:read',
    summary: 'List custom fields',
    description: 'Those that were declared, and those that were inferred from the values contacts were given.',
    query: closed({ ...pageParameters, ...fieldFilters }),
    answers: { 200: pageOf(door.family === 'Site' ? SiteCustomField : CustomField) },
    handle: async (request) => {
      const { items, total } = await listFields(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'custom_fields:write',
    summary: 'Declare a custom field',
    description:
      'From then on values must fit the type: they are converted where nothing is lost ("42" is 42), or refused. A ' +
      'field that was inferred is there already; give it a type with a retype.',
    body: FieldBody,
    answers: { 201: CustomField },
    problems: [409, 422],
    etag: true,
    handle: async (request) => declareField(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'custom_fields:read',
    summary: 'Read a custom field',
    description: 'With its entity tag, for `If-Match` on a change.',
    answers: { 200: CustomField },
    etag: true,
    handle: async (request) => readField(deps.sql, request.caller.workspaceId, request.params.id),
  })

  routes.patch('/:id', 'update', {
    needs: 'custom_fields:write',
    summary: 'Rename a custom field',
    description:
      'A new name counts at once. So does a new key; the values of contacts move to it in the background, and until ' +
      'they have the key before it is accepted too. A 422 while another change of the field is under way.',
    body: FieldChange,
    answers: { 200: CustomField },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const input = { id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) }
      return changeField(deps, request.caller, input)
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'custom_fields:write',
    summary: 'Delete a custom field with its values',
    description:
      'The values of contacts go in the background; until they have, new ones under its key are refused. 409 while a segment, an automation or a form names it.',
    answers: { 204: nothing() },
    problems: [409, 412],
    handle: async (request) => {
      await deleteField(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })

  retypeRoutes(app, deps, door)
}

function retypeRoutes(app: HttpApp, deps: FieldDeps, door: Door): void {
  const routes = routesOf(app, door, {
    path: '/custom-fields/:id/retype',
    family: 'CustomFields',
    tag: 'Custom fields',
  })

  routes.post('', 'retype', {
    needs: 'custom_fields:write',
    summary: 'Give a custom field another type',
    description:
      'New values are held to the type at once. Those that there are get it in the background where nothing is lost; ' +
      'what does not fit stays as it is and is reported. With `dryRun` nothing is changed. Read the report at the same ' +
      'path. A 422 while another change of the field is under way.',
    body: RetypeBody,
    answers: { 202: FieldRetype },
    problems: [412, 422],
    handle: async (request) => {
      const { id } = request.params
      const { type, dryRun = false } = request.body
      return retypeField(deps, request.caller, { id, type, dryRun, ifMatch: ifMatchOf(request) })
    },
  })

  routes.get('', 'getRetype', {
    needs: 'custom_fields:read',
    summary: 'Read how a retype fares',
    description: 'The last one: how far it is, and what does not fit. A 404 when there was none.',
    answers: { 200: FieldRetype },
    handle: async (request) => readRetype(deps.sql, request.caller.workspaceId, request.params.id),
  })
}
