// The logo of the product: a tent on its pole. It has the color of the text around it.
export const logo = `<svg width="26" height="26" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M12 2v19M12 2l5 2-5 2M12 7C10 13 6.5 17.5 2.5 21h19C17.5 17.5 14 13 12 7z"/></svg>`
