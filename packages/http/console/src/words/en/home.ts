// Texts of the room "home".
export const home = {}
