export const JSON_MEDIA_TYPE = /^application\/(?:json|[\w.+-]+\+json)(?:\s*;|$)/
