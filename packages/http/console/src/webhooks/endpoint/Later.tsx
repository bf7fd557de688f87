// What the screen of an endpoint loads after its head: the plot of a day, and the settings.
export { Hours } from "./Hours.tsx"
export { Settings } from "./Settings.tsx"
