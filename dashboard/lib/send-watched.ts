/** The same as `fetch`, telling how many bytes of the body have gone: that a fetch does not know. */
export function sendWatched(
  url: string,
  { method = 'POST', headers, body, signal }: RequestInit,
  onSent: (bytes: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    request.open(method, url)
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () => resolve(responseOf(request))
    request.onerror = () => reject(new TypeError('There was no answer.'))
    request.onabort = () => reject(new DOMException('It was stopped.', 'AbortError'))
    request.onloadend = () => signal?.removeEventListener('abort', stop)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) reject(new DOMException('It was stopped.', 'AbortError'))
    else request.send(body as XMLHttpRequestBodyInit)
  })
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return new Response(request.responseText || null, { status: request.status, headers })
}
