/*
 * The shop's own script, before the tracker's. Calls wait in the queue until that one has come.
 */
window.postroom = (...call) => {
  postroom.q = postroom.q || []
  postroom.q.push(call)
}

/** The shop asks once; its own memory of that, not the tracker's. */
const ASKED = 'shop_asked'

addEventListener('DOMContentLoaded', () => {
  const consent = document.querySelector('.consent')
  consent.hidden = localStorage.getItem(ASKED) !== null

  document.addEventListener('click', ({ target }) => {
    const { answer, ask } = target.dataset
    if (ask !== undefined) consent.hidden = false
    if (!answer) return
    postroom('consent', answer, document.querySelector('[data-wording]').textContent)
    localStorage.setItem(ASKED, answer)
    consent.hidden = true
  })

  // The page that comes next sends what this one has no time for.
  document.addEventListener('submit', ({ target }) => {
    if (target.dataset.cart) postroom('track', 'cart.updated', JSON.parse(target.dataset.cart))
  })
})
