/** Known values, and those that a newer server may answer with. */
export type Open<Known extends string> = Known | (string & Record<never, never>)

/** A resource with its entity tag, which `ifMatch` takes. The tag is not among its enumerable fields. */
export type Tagged<Resource> = Resource & { readonly etag?: string }

/** The content of a file to upload. A stream is sent once and never again, so that its request is not repeated. */
export type Upload = string | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | ReadableStream<Uint8Array>

export type Options = {
  /** Attempts after the first one, 0 to 5. */
  retries?: number
  /** Time for one attempt, its answer included, in milliseconds. */
  timeoutMs?: number
  /** Time for the whole call with all attempts and the pauses between them, in milliseconds; without it there is no such end. */
  deadlineMs?: number
  /** Ends the call, which then rejects with the signal's reason. Whether a change was made by then is not known. */
  signal?: AbortSignal
  /** Sent besides those of the client. */
  headers?: Record<string, string>
}

export type PostOptions = Options & {
  /** The key under which the request is carried out once, within 24 hours; a random one when absent. */
  idempotencyKey?: string
}

export type GuardedOptions = Options & {
  /** Nothing is changed, and 412 answered, unless the resource is as in this answer, or has this entity tag. */
  ifMatch?: string | { readonly etag?: string }
}
