/**
 * Types of the tracker, `/t.js`. Copy this file beside your sources, or name it in the `types` of your tsconfig.
 */

/** Whatever JSON can hold. */
export type Properties = Record<string, unknown>

/** A token that your server has signed: the one way to say for certain who this is. */
export type SignedIdentity = { token: string }

/** Fields of the contact; others are custom fields by their keys. */
export type Traits = { firstName?: string; lastName?: string; timeZone?: string } & Properties

/** What the browser claims, by one of these at least: nobody who is known is changed by it. */
export type ClaimedIdentity = { subjectId?: string; email?: string; phone?: string; traits?: Traits } & (
  | { subjectId: string }
  | { email: string }
  | { phone: string }
)

export type Postroom = {
  /** Records that a page is seen; only needed where `data-auto` leaves `pages` out. */
  (command: 'page', properties?: Properties): void
  /** Records an event, at most 32 KiB of it. */
  (command: 'track', action: string, properties?: Properties): void
  /** Says who this is, once they have logged in or told their address. */
  (command: 'identify', who: SignedIdentity | ClaimedIdentity): void
  /** Hands on what the person has decided, with the words that they were asked with. */
  (command: 'consent', state: 'granted' | 'denied', wording?: string): void
  /** After a logout: whoever comes next is somebody else. */
  (command: 'reset'): void
  /** Deletes what is kept in this browser, and what was recorded of it and belongs to no contact. */
  (command: 'forget'): void
  /** Sends now what would be sent within a second. */
  (command: 'flush'): void
  /** Tells the visitor id, and undefined where there is none. Before the script has come only `tell` is told. */
  (command: 'visitorId', tell?: (id: string | undefined) => void): string | undefined
}

declare global {
  interface Window {
    postroom: Postroom
  }
  /** Call it at any time: with the stub of the guide, before the script has come too. */
  const postroom: Postroom
}
