/** Requests to Postroom's API. Throws what it answers when it refuses, and when it is not there. */
export function apiOf(postroom, token) {
  return async (method, path, json) => {
    const request = {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(json && { body: JSON.stringify(json) }),
    }
    const response = await fetch(`${postroom}/api${path}`, request).catch((error) => {
      throw new Error(`Postroom does not answer at ${postroom}: ${error.cause?.message ?? error.message}`)
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text && JSON.parse(text)
  }
}
