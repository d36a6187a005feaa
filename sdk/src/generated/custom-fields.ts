// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type CustomField = {
  id: string
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */
  key: string
  /** The name people read; the key where none is given. Up to 200 characters. */
  name: string
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */
  type: Open<'string' | 'number' | 'boolean' | 'datetime' | 'date'>
  createdAt: string
  updatedAt: string
}

export type CustomFieldBody = {
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */
  key: string
  /** The name people read; the key where none is given. Up to 200 characters. */
  name?: string
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */
  type: 'string' | 'number' | 'boolean' | 'datetime' | 'date'
}

export type CustomFieldChange = {
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */
  key?: string
  /** The name people read; the key where none is given. Up to 200 characters. */
  name?: string
}

export type CustomFieldPage = {
  items: Array<CustomField>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type CustomFieldRetype = {
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */
  type: Open<'string' | 'number' | 'boolean' | 'datetime' | 'date'>
  dryRun: boolean
  /** running: values are still being looked at. */
  state: Open<'running' | 'finished'>
  /** Contacts looked at so far, with and without a value. */
  examined: number
  /** Values that are of the type, or were converted without loss. */
  fitting: number
  /** Values that do not fit. They stay as they are. */
  unfit: number
  /** Up to 100 contacts whose value does not fit, ascending by id. */
  samples: Array<{
    contactId: string
    /** The value as it is now. */
    value: unknown
  }>
  startedAt: string
  finishedAt: string | null
}

export type CustomFieldRetypeBody = {
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */
  type: 'string' | 'number' | 'boolean' | 'datetime' | 'date'
  /** Only look at the values and report what would not fit. */
  dryRun?: boolean
}

export interface CustomFieldsOperations {
  /** Declare a custom field. From then on values must fit the type: they are converted where nothing is lost ("42" is 42), or refused. A field that was inferred is there already; give it a type with a retype. Needs the scope `custom_fields:write`. */
  create(body: CustomFieldBody, options?: PostOptions): Promise<Tagged<CustomField>>

  /** Delete a custom field with its values. The values of contacts go in the background; until they have, new ones under its key are refused. 409 while a segment, an automation or a form names it. Needs the scope `custom_fields:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a custom field. With its entity tag, for `If-Match` on a change. Needs the scope `custom_fields:read`. */
  get(id: string, options?: Options): Promise<Tagged<CustomField>>

  /** Read how a retype fares. The last one: how far it is, and what does not fit. A 404 when there was none. Needs the scope `custom_fields:read`. */
  getRetype(id: string, options?: Options): Promise<CustomFieldRetype>

  /** List custom fields. Those that were declared, and those that were inferred from the values contacts were given. Needs the scope `custom_fields:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only the field of this key. */
    key?: string
  }, options?: Options): List<CustomFieldPage>

  /** Give a custom field another type. New values are held to the type at once. Those that there are get it in the background where nothing is lost; what does not fit stays as it is and is reported. With `dryRun` nothing is changed. Read the report at the same path. A 422 while another change of the field is under way. Needs the scope `custom_fields:write`. */
  retype(id: string, body: CustomFieldRetypeBody, options?: PostOptions & GuardedOptions): Promise<CustomFieldRetype>

  /** Rename a custom field. A new name counts at once. So does a new key; the values of contacts move to it in the background, and until they have the key before it is accepted too. A 422 while another change of the field is under way. Needs the scope `custom_fields:write`. */
  update(id: string, body: CustomFieldChange, options?: GuardedOptions): Promise<Tagged<CustomField>>
}
