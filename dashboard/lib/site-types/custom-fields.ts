// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type CustomField = {
  id: string
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name: string
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */ type: 'string' | 'number' | 'boolean' | 'datetime' | 'date'
  createdAt: string
  updatedAt: string
}

export type CustomFieldBody = {
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name?: string
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */ type: 'string' | 'number' | 'boolean' | 'datetime' | 'date'
}

export type CustomFieldChange = {
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key?: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name?: string
}

export type CustomFieldRetype = {
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */ type: 'string' | 'number' | 'boolean' | 'datetime' | 'date'
  dryRun: boolean
  /** running: values are still being looked at. */ state: 'running' | 'finished'
  /** Contacts looked at so far, with and without a value. */ examined: number
  /** Values that are of the type, or were converted without loss. */ fitting: number
  /** Values that do not fit. They stay as they are. */ unfit: number
  /** Up to 100 contacts whose value does not fit, ascending by id. */ samples: Array<{
    contactId: string
    /** The value as it is now. */ value: unknown
  }>
  startedAt: string
  finishedAt: string | null
}

export type CustomFieldRetypeBody = {
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */ type: 'string' | 'number' | 'boolean' | 'datetime' | 'date'
  /** Only look at the values and report what would not fit. */ dryRun?: boolean
}

export type SiteCustomField = {
  id: string
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name: string
  /** Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24). */ type: 'string' | 'number' | 'boolean' | 'datetime' | 'date'
  createdAt: string
  updatedAt: string
  /** Whether values are held to the type; false: it was inferred from the first one. */ declared: boolean
  /** While a change of the key is under way: the key before it. */ previousKey: string | null
  /** Keys that it had before, the last first: whatever names one of them means the field, until another takes it. */ formerKeys: Array<string>
}

export type SiteCustomFieldPage = {
  items: Array<SiteCustomField>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type CustomFieldsOperations = {
  'DELETE /custom-fields/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /custom-fields': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only the field of this key. */ key?: string
}
    body: undefined
    answer: SiteCustomFieldPage
  }
  'GET /custom-fields/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: CustomField
  }
  'GET /custom-fields/{id}/retype': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: CustomFieldRetype
  }
  'PATCH /custom-fields/{id}': {
    params: { id: string }
    query: undefined
    body: CustomFieldChange
    answer: CustomField
  }
  'POST /custom-fields': {
    params: undefined
    query: undefined
    body: CustomFieldBody
    answer: CustomField
  }
  'POST /custom-fields/{id}/retype': {
    params: { id: string }
    query: undefined
    body: CustomFieldRetypeBody
    answer: CustomFieldRetype
  }
}
