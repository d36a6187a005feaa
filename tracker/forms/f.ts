import { show } from './display.ts'
import { fill } from './fill.ts'
import { improve } from './improve.ts'

/*
 * Sign-up forms on pages of others, `/f.js`: fills each `<div data-postroom-form="prf_…">` with the form of that key, in a
 * shadow root, and has a plain `<form data-postroom-form="prf_…">` sent without leaving the page. Stores and sends nothing of its
 * own but when it last showed itself, for those that show themselves.
 */

const { src } = document.currentScript as HTMLScriptElement
/** The service's address, with a slash at its end. */
const base = src.replace(/f(\.[0-9a-f]+)?\.js(\?.*)?$/, '')
const named = new URL(src).searchParams.get('form')

function start(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-postroom-form]')) {
    const key = place.dataset.postroomForm || named
    // A page that has the tag twice has each form once.
    if (!key || place.dataset.postroomOn) continue
    place.dataset.postroomOn = 'yes'
    const url = `${base}collect/forms/${key}`
    if (place instanceof HTMLFormElement) improve(place, url)
    else if (place.dataset.show) show(place, key, (inside, done) => fill(inside, url, done))
    else fill(place, url)
  }
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
else start()
