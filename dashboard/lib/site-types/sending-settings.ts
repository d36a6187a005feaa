// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type SendingSettings = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */ doubleOptIn: boolean
  /** HTML mail holds a picture that tells when it is opened. */ trackOpens: boolean
  /** Links in mail lead by way of this service. */ trackClicks: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */ postalAddress: string | null
  /** null while they are as a new workspace has them. */ updatedAt: string | null
}

export type SendingSettingsChange = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */ doubleOptIn?: boolean
  /** HTML mail holds a picture that tells when it is opened. */ trackOpens?: boolean
  /** Links in mail lead by way of this service. */ trackClicks?: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */ postalAddress?: string | null
}

export type SendingSettingsOperations = {
  'GET /sending-settings': {
    params: undefined
    query: undefined
    body: undefined
    answer: SendingSettings
  }
  'PATCH /sending-settings': {
    params: undefined
    query: undefined
    body: SendingSettingsChange
    answer: SendingSettings
  }
}
