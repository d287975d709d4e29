// Package house holds no code, only the tests that keep the rules of
// CONTRIBUTING.md: documentation, layers, dependencies, and that the README
// shows code that runs.
package house
