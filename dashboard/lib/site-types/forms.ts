// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Form = {
  id: string
  /** Stands in its addresses; no secret. */ key: string
  /** For yourself; nobody who signs up sees it. */ name: string
  /** paused: it takes nothing, and its page says so. */ state: 'active' | 'paused'
  /** Stands above the button, and is kept with each consent as it was then. */ consentWording: string
  /** Names of tags that those get who confirm. */ tags: Array<string>
  /** Pages that may have the form, such as https://shop.example or https://*.shop.example. Empty: any. */ allowedOrigins: Array<string>
  /** Where a browser without a script goes on after filling it in; a page of ours without it. */ successUrl: string | null
  /** Where somebody goes on who has confirmed; without it the workspace's, or a page of ours. */ confirmedUrl: string | null
  /** Work that a browser does before it sends, unseen. adaptive: a moment, and seconds while the form is attacked. always: seconds. off: none, for pages whose programs cannot. */ challenge: 'adaptive' | 'always' | 'off'
  /** Of its page and its mail. Null: the workspace's. */ locale: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da' | null
  /** In their order; `email` is always there. */ fields: Array<{
    /** `email`, `firstName`, `lastName`, `phone`, or `custom:` and the key of a custom field that there is. */ field: string
    /** Null: the form's language says it; of a custom field its name. */ label: string | null
    required: boolean
    /** In characters. */ maxLength: number
  }>
  /** Every change makes one more. */ version: number
  /** Its page, for whoever has no page of their own. */ url: string
  createdAt: string
  updatedAt: string
}

export type FormBody = {
  /** For yourself; nobody who signs up sees it. */ name: string
  /** paused: it takes nothing, and its page says so. */ state?: 'active' | 'paused'
  /** Stands above the button, and is kept with each consent as it was then. */ consentWording: string
  /** Names of tags that those get who confirm. */ tags?: Array<string>
  /** Pages that may have the form, such as https://shop.example or https://*.shop.example. Empty: any. */ allowedOrigins?: Array<string>
  /** Where a browser without a script goes on after filling it in; a page of ours without it. */ successUrl?: string | null
  /** Where somebody goes on who has confirmed; without it the workspace's, or a page of ours. */ confirmedUrl?: string | null
  /** Work that a browser does before it sends, unseen. adaptive: a moment, and seconds while the form is attacked. always: seconds. off: none, for pages whose programs cannot. */ challenge?: 'adaptive' | 'always' | 'off'
  /** Of its page and its mail. Null: the workspace's. */ locale?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da' | null
  /** In their order; `email` is always there. Each of them once. */ fields?: Array<{
    /** `email`, `firstName`, `lastName`, `phone`, or `custom:` and the key of a custom field that there is. */ field: string
    /** Null: the form's language says it; of a custom field its name. */ label?: string | null
    required?: boolean
    /** In characters. */ maxLength?: number
  }>
}

export type FormChange = {
  /** For yourself; nobody who signs up sees it. */ name?: string
  /** paused: it takes nothing, and its page says so. */ state?: 'active' | 'paused'
  /** Stands above the button, and is kept with each consent as it was then. */ consentWording?: string
  /** Names of tags that those get who confirm. */ tags?: Array<string>
  /** Pages that may have the form, such as https://shop.example or https://*.shop.example. Empty: any. */ allowedOrigins?: Array<string>
  /** Where a browser without a script goes on after filling it in; a page of ours without it. */ successUrl?: string | null
  /** Where somebody goes on who has confirmed; without it the workspace's, or a page of ours. */ confirmedUrl?: string | null
  /** Work that a browser does before it sends, unseen. adaptive: a moment, and seconds while the form is attacked. always: seconds. off: none, for pages whose programs cannot. */ challenge?: 'adaptive' | 'always' | 'off'
  /** Of its page and its mail. Null: the workspace's. */ locale?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da' | null
  /** In their order; `email` is always there. Each of them once. */ fields?: Array<{
    /** `email`, `firstName`, `lastName`, `phone`, or `custom:` and the key of a custom field that there is. */ field: string
    /** Null: the form's language says it; of a custom field its name. */ label?: string | null
    required?: boolean
    /** In characters. */ maxLength?: number
  }>
}

export type FormEmbed = {
  /** Its page, for whoever has no page of their own. */ url: string
  /** The form for a page of your own: plain HTML without a script. */ html: string
  /** The same filled in by our script, in the looks of your page; it is never out of date. */ script: string
}

export type FormPage = {
  items: Array<Form>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type FormPreview = {
  /** Its own page, a document of HTML. */ page: string
  /** Everything that `/f.js` shows it by, as `GET /collect/forms/{formKey}` answers it. */ definition: Record<string, unknown>
}

export type FormStats = {
  from: string
  to: string
  /** Filled in, and well-formed. */ submitted: number
  /** Asked by mail. */ mailed: number
  /** Asked by mail, or about to be, and neither confirmed nor over by now. */ waiting: number
  /** Confirmed, whenever they were asked. */ confirmed: number
  /** Not confirmed within seven days. */ expired: number
  /** Told by the owner of the address that it was not they. */ notMe: number
  /** Submissions that came to nothing, by the reason. */ refused: Array<{
    reason: string
    total: number
  }>
  /** Whether it is filled in much more now than it usually is. */ underAttack: boolean
  /** By the day, in UTC. */ days: Array<{
    day: string
    submitted: number
    confirmed: number
  }>
}

export type FormSubmission = {
  id: string
  /** pending: asked by mail, or about to be. confirmed: by its link. expired: not within seven days; what was filled in is gone. refused: nobody was asked. */ state: 'pending' | 'confirmed' | 'expired' | 'refused'
  /** blocked: the owner of the address said that they did not fill in a form. address_budget: the address was asked often enough, or more mails wait for its domain or for the form than go in five days. suppressed, unsubscribed: it must not be mailed. */ reason: 'blocked' | 'address_budget' | 'suppressed' | 'unsubscribed' | null
  /** Of the form, as it was filled in. */ version: number
  /** Of a confirmed one. */ contactId: string | null
  /** The mail that asked. */ messageId: string | null
  /** The site it was filled in on. */ origin: string | null
  /** The network it came from. */ ip: string | null
  createdAt: string
  confirmedAt: string | null
}

export type FormSubmissionBody = {
  /** What was filled in, by the names of the form’s fields. */ fields: Record<string, unknown>
}

export type FormSubmissionPage = {
  items: Array<FormSubmission>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type FormSubmitted = {
  /** The same for every address. */ status: 'check-your-mail'
}

export type FormVersion = {
  /** Every change makes one more. */ version: number
  /** For yourself; nobody who signs up sees it. */ name: string
  /** paused: it takes nothing, and its page says so. */ state: 'active' | 'paused'
  /** Stands above the button, and is kept with each consent as it was then. */ consentWording: string
  /** Names of tags that those get who confirm. */ tags: Array<string>
  /** Pages that may have the form, such as https://shop.example or https://*.shop.example. Empty: any. */ allowedOrigins: Array<string>
  /** Where a browser without a script goes on after filling it in; a page of ours without it. */ successUrl: string | null
  /** Where somebody goes on who has confirmed; without it the workspace's, or a page of ours. */ confirmedUrl: string | null
  /** Work that a browser does before it sends, unseen. adaptive: a moment, and seconds while the form is attacked. always: seconds. off: none, for pages whose programs cannot. */ challenge: 'adaptive' | 'always' | 'off'
  /** Of its page and its mail. Null: the workspace's. */ locale: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da' | null
  /** In their order; `email` is always there. */ fields: Array<{
    /** `email`, `firstName`, `lastName`, `phone`, or `custom:` and the key of a custom field that there is. */ field: string
    /** Null: the form's language says it; of a custom field its name. */ label: string | null
    required: boolean
    /** In characters. */ maxLength: number
  }>
  createdAt: string
}

export type FormVersionPage = {
  items: Array<FormVersion>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type FormsOperations = {
  'DELETE /forms/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /forms': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: FormPage
  }
  'GET /forms/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Form
  }
  'GET /forms/{id}/embed': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: FormEmbed
  }
  'GET /forms/{id}/stats': {
    params: { id: string }
    query: {
  /** How far back, in days. */ days?: number
}
    body: undefined
    answer: FormStats
  }
  'GET /forms/{id}/submissions': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only those in this state. */ state?: 'pending' | 'confirmed' | 'expired' | 'refused'
}
    body: undefined
    answer: FormSubmissionPage
  }
  'GET /forms/{id}/versions': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: FormVersionPage
  }
  'PATCH /forms/{id}': {
    params: { id: string }
    query: undefined
    body: FormChange
    answer: Form
  }
  'POST /forms': {
    params: undefined
    query: undefined
    body: FormBody
    answer: Form
  }
  'POST /forms/{id}/preview': {
    params: { id: string }
    query: undefined
    body: FormChange
    answer: FormPreview
  }
  'POST /forms/{id}/submissions': {
    params: { id: string }
    query: undefined
    body: FormSubmissionBody
    answer: FormSubmitted
  }
}
